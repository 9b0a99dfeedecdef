# If anything is interrupted at any point, the next command finishes or undoes it: no --force, no manual destroy, and a
# running job continues.

# bats file_tags=thorough
load helper
load interrupt_helper

setup_file() { host_state >"$BATS_FILE_TMPDIR/before"; }

setup() {
  BEFORE=$(cat "$BATS_FILE_TMPDIR/before")
  cp "$BLUEPRINT" "$SUITE/quickstart.yaml"
}

teardown() {
  local process
  while process=$(stopped_process); do kill -KILL "$process"; done
  destroy_all st-int
  nothing_is_left || host_state >"$BATS_FILE_TMPDIR/before"
}

# before_first_point: 0 or -1. Every second point is tried, and which ones depends on the commit; soak_interrupt.bats
# tries all.
before_first_point() {
  local commit
  commit=$(git -C "$TOP" rev-parse HEAD 2>/dev/null) || commit=0
  echo $((-(0x${commit: -1} % 2)))
}

# begin_job NAME: on the first compute node; LONG is its process
begin_job() {
  on "$1" login sbatch --nodelist="${1//-/}-a3meganodeset-0" --output=/dev/null --wrap 'exec sleep 4321'
  wait_for pgrep -x -f 'sleep 4321'
  LONG=$(pgrep -x -f 'sleep 4321')
}

@test "interrupt: a change, at every second point: it is completed or undone, the next deploy works, and the job continues" {
  deploy_nodes st-int 1
  begin_job st-int
  local point code ways=("INT client same" "KILL client old" "TERM client old" "KILL stopped same" "KILL client same" "KILL stopped old")
  point=$(before_first_point)
  while :; do
    point=$((point + 2))
    code=0
    # shellcheck disable=SC2086
    interrupt_change st-int $point ${ways[$((point / 2 % 6))]} || code=$?
    [ $code -ne 77 ] || break
    [ $code -eq 0 ]
    [ "$(pgrep -x -f 'sleep 4321')" = "$LONG" ]
    [ "$(on st-int login squeue --noheader --format=%T)" = RUNNING ]
  done
  [ $point -gt 10 ]
}

@test "interrupt: a first deploy, at every second point: the next one works" {
  local point signal signals=(KILL INT KILL TERM)
  point=$(before_first_point)
  while :; do
    point=$((point + 2))
    signal=${signals[$((point / 2 % 4))]}
    interrupt_at $point "$signal" client deploy "$SUITE/quickstart.yaml" --vars deployment_name=st-int \
      --nodes a3mega_nodeset=1 || break
    deploy_nodes st-int 1
    [ "$(on st-int controller sinfo --noheader --format=%T)" = idle ]
    slipway destroy st-int
  done
  [ $point -gt 5 ]
  slipway destroy st-int
  nothing_is_left
}

@test "interrupt: a destroy, at each point: the next destroy finishes it, and so does a deploy" {
  local point=0
  while :; do
    point=$((point + 1))
    deploy_nodes st-int 1
    interrupt_at $point KILL client destroy st-int || break
    [ -e "$(deployments_folder)/st-int" ] || continue
    run slipway status st-int
    fails_with 1 "deployment st-int: unfinished"
    # The others are left for the next round's deploy.
    [ $((point % 2)) -eq 0 ] || { slipway destroy st-int && nothing_is_left; }
  done
  [ $point -gt 3 ]
  nothing_is_left
}

@test "interrupt: a supervisor killed in the middle of a change: the next deploy restarts the cluster with its files" {
  local point nodes=1
  deploy_nodes st-int 1
  on st-int login sh -c 'echo kept >/home/file'
  # Before anything has changed, after the plan was adopted, and at the end.
  for point in 3 7 10; do
    nodes=$((3 - nodes))
    run_to_point $point deploy "$SUITE/quickstart.yaml" --vars deployment_name=st-int --nodes "a3mega_nodeset=$nodes"
    kill -KILL "$(supervisor_of st-int)"
    kill -CONT -- "-$JOB" 2>/dev/null || true
    wait "$JOB" || true
    run deploy_nodes st-int $nodes
    says "restarting \`st-int\`"
    [ "$(compute_nodes st-int | wc -l)" -eq $nodes ]
    [ "$(on st-int controller sinfo --noheader --Node --format=%T | grep -c idle)" -eq $nodes ]
    [ "$(on st-int login cat /home/file)" = kept ]
    [ ! -e "$(deployments_folder)/st-int/change.json" ]
  done
}

@test "interrupt: a change that Slurm refuses is undone, and slurmctld is back at once" {
  deploy_nodes st-int 1
  begin_job st-int
  sed 's/^\( *\)ThreadsPerCore: 2/&\n\1TRESWeights: nothing=1/' "$BLUEPRINT" >"$SUITE/changed.yaml"
  run slipway deploy "$SUITE/changed.yaml" --vars deployment_name=st-int --nodes a3mega_nodeset=2
  fails_with 1 "nothing"
  [[ "$output" == *"; the change was rolled back"* ]]
  slurm_answers st-int
  [ "$(pgrep -x -f 'sleep 4321')" = "$LONG" ]
  run deploy_nodes st-int 1
  says "is running and unchanged"
}

@test "interrupt: replacing the controller loses no job that has just begun" {
  deploy_nodes st-int 1
  sed 's/machine_type: n2-standard-4/machine_type: n2-standard-8/' "$BLUEPRINT" >"$SUITE/changed.yaml"
  begin_job st-int
  slipway deploy "$SUITE/changed.yaml" --vars deployment_name=st-int --nodes a3mega_nodeset=1
  [ "$(on st-int login squeue --noheader --format=%T)" = RUNNING ]
  [ "$(pgrep -x -f 'sleep 4321')" = "$LONG" ]
}

@test "interrupt: a restart of slurmctld continues if the command that requested it is killed" {
  deploy_nodes st-int 1
  on st-int controller sh -c 'touch /run/slipway/restart/slurmctld 2>/dev/null || { mkdir -p /run/slipway/restart && touch /run/slipway/restart/slurmctld; }
    before=$(cat /run/slipway/services/slurmctld); kill -HUP 1
    until [ "$(cat /run/slipway/services/slurmctld 2>/dev/null || echo $before)" != $before ]; do sleep 0.02; done'
  slurm_answers st-int
}
