# The life of a deployment: repeated, side by side, killed, interrupted, on a full or closed folder; and nothing is
# left.

# bats file_tags=user
load helper

setup_file() { host_state >"$BATS_FILE_TMPDIR/before"; }

setup() { BEFORE=$(cat "$BATS_FILE_TMPDIR/before"); }

# A test that leaves something must not fail others: a waiting deploy is ended, and what remains counts as existing from
# now on.
teardown() {
  local waits
  if waits=$(client 'deploy .*st-life'); then kill "$waits" && wait; fi
  destroy_all st-life
  nothing_is_left || host_state >"$BATS_FILE_TMPDIR/before"
}

# bats test_tags=sanitized
@test "life: destroy leaves no process, namespace, mount, interface or file" {
  deploy st-life
  [ "$(host_state)" != "$BEFORE" ]
  slipway destroy st-life
  nothing_is_left
}

# destroy_answering ANSWER: types it on a terminal once destroy has asked; what the terminal shows is in the file `shown`
destroy_answering() {
  : >"$BATS_TEST_TMPDIR/shown"
  { wait_for grep -qF '[y/N]' "$BATS_TEST_TMPDIR/shown" && echo "$1"; } |
    script --quiet --return --flush --command "$(declare -f as_tester slipway); slipway destroy st-life" "$BATS_TEST_TMPDIR/shown" >/dev/null
}

@test "life: on a terminal, destroy asks, and says what would be lost" {
  deploy st-life
  on st-life login touch /home/one /home/two
  refuse destroy_answering n
  grep -F 'Destroy deployment `st-life` with 2 files on its shared file systems? [y/N]' "$BATS_TEST_TMPDIR/shown"
  grep -F 'stopped: not approved (`--auto-approve` skips this question)' "$BATS_TEST_TMPDIR/shown"
  state_is st-life running
  destroy_answering y
  grep -F 'deployment `st-life` is destroyed' "$BATS_TEST_TMPDIR/shown"
}

# bats test_tags=sanitized
@test "life: a second deploy of the same name changes nothing and reports that it exists" {
  deploy st-life
  on st-life login touch /home/kept /tmp/kept
  local supervisor
  supervisor=$(supervisor_of st-life)
  run deploy st-life
  says "deployment \`st-life\` is running and unchanged"
  [ "$(supervisor_of st-life)" = "$supervisor" ]
  on st-life login test -e /home/kept -a -e /tmp/kept
}

@test "life: --nodes gives a nodeset another size, and lists the nodesets" {
  deploy st-life --nodes a3mega_nodeset=6
  run on st-life login sinfo --noheader --format=%D
  [ "$output" -eq 6 ]
  slipway destroy st-life
  run deploy st-life --nodes gpus=2
  fails_with 2 "--nodes: there is no nodeset \`gpus\`; the blueprint has a3mega_nodeset"
  run deploy st-life --nodes a3mega_nodeset=-1
  fails_with 2 "\`-1\` is not a number"
}

@test "life: a file system without a server is a folder of the controller, on the nodes that name it" {
  BLUEPRINT=$TOP/tests/golden/blueprint/ok-controller-folders.yaml deploy st-life --nodes nodes=1
  on st-life controller sh -c 'echo data >/srv/data/from'
  on st-life nodes-0 sh -c 'cp /data/from /models/from; touch /m2/from'
  [ "$(on st-life controller cat /srv/models/from)" = data ]
  on st-life controller test -e /srv/m2/from
}

@test "life: two deployments run side by side, each with its own cluster" {
  deploy st-life-a
  deploy st-life-b
  [ "$(compute_nodes st-life-a | wc -l)" -eq 4 ]
  on st-life-a login touch /home/of-a
  run on st-life-b login test -e /home/of-a
  [ "$status" -eq 1 ]
  slipway destroy st-life-a
  run on st-life-b login srun --nodes=4 hostname
  [ "$status" -eq 0 ]
  slipway destroy st-life-b
  nothing_is_left
}

# bats test_tags=sanitized
@test "life: when a supervisor is killed everything ends with it; status reports it, deploy restarts it with its files" {
  deploy st-life
  local supervisor job NAME=st-life
  on st-life login sh -c 'echo kept >/home/file'
  job=$(on st-life login sbatch --parsable --nodes=2 --output=/dev/null --wrap 'exec sleep 4321')
  wait_for pgrep -x -f 'sleep 4321'
  write_down "$job"
  slipway fault st-life stlife-a3meganodeset-3 gpu-ecc 0 2
  supervisor=$(supervisor_of st-life)
  kill -KILL "$supervisor"
  # Nothing has cleaned up yet, and everything except the files is gone.
  only_files_are_new() { [ "$(what_is_new)" = "deployments: st-life" ]; }
  wait_for only_files_are_new || { what_is_new && false; }
  run slipway status st-life
  fails_with 1 "deployment st-life: dead"
  run slipway status
  says "st-life"
  run on st-life login true
  fails_with 1 "is dead"
  run deploy st-life
  says "restarting \`st-life\`"
  # The job may run again by now, or be requeued a second time by a node that has just come up, which completes it first.
  all_nodes_work() { [ "$(on st-life controller sinfo --noheader --Node --format=%T | grep -cE '^(idle|mixed|allocated)')" -eq 4 ]; }
  wait_for all_nodes_work
  [ "$(on st-life login cat /home/file)" = kept ]
  is_requeued() { on st-life login scontrol show job "$job" | grep -E "Restarts=[1-9]"; }
  wait_for is_requeued
  # A fault ends with the supervisor that could undo it.
  on st-life stlife-a3meganodeset-3 /opt/slipway/bin/slipway health
  run deploy st-life
  says "is running and unchanged"
}

# kill_supervisor NAME: and everything it had ends with it
kill_supervisor() {
  kill -KILL "$(supervisor_of "$1")"
  is_dead() { slipway status "$1" 2>&1 | grep -q "^deployment $1: dead"; }
  wait_for is_dead "$1"
}

@test "life: a dead deployment that cannot be restarted keeps its files; destroy removes them" {
  deploy st-life
  on st-life login sh -c 'echo kept >/home/file'
  kill_supervisor st-life
  run deploy_with_node_conf 'TRESWeights: nothing=1'
  fails_with 1 "its files are kept: \`slipway deploy\` tries again, \`slipway destroy st-life\` removes them"
  run slipway status st-life
  fails_with 1 "\`slipway deploy\` restarts it with its files, \`slipway destroy st-life\` removes it"
  deploy st-life
  [ "$(on st-life login cat /home/file)" = kept ]
  kill_supervisor st-life
  slipway destroy st-life
  nothing_is_left
}

# deploy_with_node_conf LINE OPTION...: deploys the quickstart with one more line in its node_conf
deploy_with_node_conf() {
  local line=$1
  shift
  sed "s/^\( *\)ThreadsPerCore: 2/&\n\1$line/" "$BLUEPRINT" >"$SUITE/changed.yaml"
  slipway deploy "$SUITE/changed.yaml" --vars deployment_name=st-life "$@"
}

# signal_deploy SIGNAL: sends it to the running `slipway deploy` of st-life, which must exist
signal_deploy() {
  wait_for client 'deploy .*st-life' >/dev/null
  kill "-$1" "$(client 'deploy .*st-life')"
}

# A cluster that never becomes idle: its deployer waits until it is stopped.
deploy_that_waits() { deploy_with_node_conf "State: DRAIN" "$@"; }

@test "life: an interrupted deploy reports it and leaves nothing, whenever it is interrupted" {
  local moment
  for moment in 0 0.05 0.1 0.3; do
    deploy_that_waits >"$BATS_TEST_TMPDIR/out" 2>&1 &
    local job=$! code=0
    sleep $moment
    # Not SIGINT: a shell without job control makes its background commands ignore that.
    signal_deploy TERM
    wait $job || code=$?
    # Before anything of it exists, the signal ends it like any program.
    [ $code -eq 143 ] || { [ $code -eq 1 ] && grep -q 'cannot bring up `st-life`: interrupted' "$BATS_TEST_TMPDIR/out"; }
    nothing_is_left
  done
}

@test "life: the deadline holds even if Slurm does not answer" {
  deploy_that_waits --timeout 6 >"$BATS_TEST_TMPDIR/out" 2>&1 &
  local job=$! code=0
  wait_for state_is st-life starting
  # It may not be running yet.
  wait_for on st-life controller pkill -STOP slurmctld
  local begin=$SECONDS
  wait $job || code=$?
  [ $code -eq 1 ]
  # Without the deadline, it would wait a minute for Slurm, MessageTimeout, again and again.
  [ $((SECONDS - begin)) -lt 60 ]
  grep -q 'waited 6 s for idle nodes' "$BATS_TEST_TMPDIR/out"
  nothing_is_left
}

# bats test_tags=sanitized
@test "life: when a deployer is killed, the half-made cluster ends with it" {
  deploy_that_waits &
  local job=$!
  wait_for state_is st-life starting
  signal_deploy KILL
  wait $job || true
  wait_for state_is st-life unfinished
  slipway destroy st-life
  nothing_is_left
}

# at_once NUMBER ARGUMENT...: so many slipways at the same time; prints the output of each after its exit status
at_once() {
  local number=$1 i
  shift
  for i in $(seq "$number"); do
    { code=0; slipway "$@" >"$BATS_TEST_TMPDIR/said.$i" 2>&1 || code=$?; sed "s/^/$code /" "$BATS_TEST_TMPDIR/said.$i"; } 3>&- &
  done
  wait
}

@test "life: if many destroy or deploy one at once, each learns the truth, and none fails on a file" {
  deploy st-life --nodes a3mega_nodeset=1
  run at_once 6 destroy st-life
  [ "$(grep -c '^0 deployment `st-life` is destroyed$' <<<"$output")" -eq 1 ]
  lacks -vE '^0 deployment `st-life` is destroyed$|^1 slipway destroy: (deployment `st-life` is being changed by|there is no deployment `st-life`)'
  run at_once 3 deploy "$SUITE/quickstart.yaml" --vars deployment_name=st-life --nodes a3mega_nodeset=1 --quiet
  lacks -vE '^1 slipway deploy: deployment `st-life` is being changed by|^0 deployment `st-life` is running and unchanged'
  [ "$(compute_nodes st-life | wc -l)" -eq 1 ]
}

@test "life: while one deploy waits, another of the same name is refused, destroy too, and status shows starting" {
  deploy_that_waits &
  local job=$!
  wait_for state_is st-life starting
  run slipway status
  says "st-life                  starting"
  run deploy st-life
  fails_with 1 "deployment \`st-life\` is being changed by \`slipway deploy\` (process "
  run slipway destroy st-life
  fails_with 1 "deployment \`st-life\` is being changed by \`slipway deploy\` (process "
  signal_deploy INT
  wait $job || true
  nothing_is_left
}

# bats test_tags=sanitized
@test "life: nothing of the caller's stays with the cluster: no variable, no descriptor, no mask" {
  (
    umask 077
    exec 7>"$BATS_TEST_TMPDIR/held"
    export SECRET_OF_THE_HOST=1 SLURM_CONF=/nonexistent
    deploy st-life
  )
  run on st-life login srun --nodes=4 true
  [ "$status" -eq 0 ]
  local pid
  for pid in $(pgrep -x slipway-super) $(pgrep -x slurmctld) $(pgrep -x slurmd); do
    if tr '\0' '\n' <"/proc/$pid/environ" | grep SECRET_OF_THE_HOST; then [ "$(cat /proc/$pid/comm)" = slipway-super ]; fi
    [ -z "$(find "/proc/$pid/fd" -lname "$BATS_TEST_TMPDIR/held")" ]
  done
  [ "$(stat -c %a "$(deployments_folder)/st-life")" = 700 ]
}

@test "life: a deploy without stdin works" {
  deploy st-life <&-
  slipway exec st-life login -- cat <&- >"$BATS_TEST_TMPDIR/out"
  [ ! -s "$BATS_TEST_TMPDIR/out" ]
}

@test "life: a folder that cannot be written is an error with its path, and leaves no partial state" {
  # A read-only mount: no mode stops root.
  run as_root_in_own_mounts "mount -t tmpfs -o ro tmpfs /var/lib" "$BLUEPRINT" --vars deployment_name=st-life
  fails_with 1 "cannot make directory /var/lib/slipway: Read-only file system"
  nothing_is_left
}

@test "life: a full disk is an error with the path, and leaves no partial state" {
  # Space for some of a deployment's files but not for all.
  run as_root_in_own_mounts "mount -t tmpfs -o size=16k tmpfs /var/lib" "$BLUEPRINT" --vars deployment_name=st-life
  fails_with 1 "No space left on device"
  [[ "$output" == *"cannot bring up \`st-life\`: cannot write /var/lib/slipway/deployments/st-life/"* ]]
  [[ "$output" == *"left: 0"* ]]
  nothing_is_left
}

@test "life: destroy reports a missing deployment" {
  run slipway destroy st-life
  fails_with 1 "there is no deployment \`st-life\`; \`slipway status\` lists them"
}

@test "life: an invalid name is refused" {
  run slipway destroy ../st-life
  fails_with 1 "\`../st-life\` is not a deployment name"
}

@test "life: a missing program is named with its package" {
  run as_root_in_own_mounts "mount --bind /dev/null /usr/sbin/munged" "$BLUEPRINT" --vars deployment_name=st-life
  fails_with 1 "this machine lacks /usr/sbin/munged; as root: apt-get install munge"
  nothing_is_left
}

@test "life: a blueprint with mistakes starts nothing and shows where they are" {
  sed 's/machine_type: a3-megagpu-8g/machine_type: a3-megagpu-8x/' "$BLUEPRINT" >"$SUITE/wrong.yaml"
  run slipway deploy "$SUITE/wrong.yaml" --vars deployment_name=st-life
  fails_with 1 "a3-megagpu-8g"
  [[ "$output" == *"^^^"* ]]
  nothing_is_left
}

@test "life: a cluster that is not idle in time is an error with the nodes' states, and nothing is left" {
  # The nodes start within the first of these times, unless the machine is busy.
  local seconds
  for seconds in 2 4 8 16 32; do
    run deploy_with_node_conf "State: DRAIN" --timeout $seconds
    [[ "$output" != *drained* ]] || break
  done
  fails_with 1 "cannot bring up \`st-life\`: waited $seconds s for idle nodes: stlife-a3meganodeset-[0-3] drained"
  nothing_is_left
}

@test "life: a daemon that does not start is an error with its output, and nothing is left" {
  run deploy_with_node_conf "TRESWeights: nothing=1"
  fails_with 1 "cannot bring up \`st-life\`: node stlife-controller: /usr/sbin/slurmctld ended"
  [[ "$output" == *"its output: "*nothing=1* ]] || { echo "$output" && false; }
  nothing_is_left
}

@test "life: an invalid deadline is a usage error" {
  run deploy st-life --timeout 0
  fails_with 2 "--timeout is at least 1 second"
}
