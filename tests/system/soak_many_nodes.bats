# A local cluster of many nodes, 250 or SLIPWAY_TEST_NODES: jobs on all of them, arrays, cancelled jobs, `slipway launch` and
# the health of all. What is printed stays legible.

# bats file_tags=apart
load helper
load health_helper

NAME=st-many
N=stmany-a3meganodeset
COUNT=${SLIPWAY_TEST_NODES:-250}
LAST=$((COUNT - 1))

setup_file() {
  BLUEPRINT=$BATS_FILE_TMPDIR/many.yaml
  # Room for more than a thousand machines in 10.0.0.0/9.
  sed "s/node_count_static: 4/node_count_static: $COUNT/; s,source: modules/network/vpc,&\n    settings: {default_primary_subnetwork_size: 6}," \
    "$TOP/examples/quickstart.yaml" >"$BLUEPRINT"
  deploy $NAME >"$BATS_FILE_TMPDIR/deployed" 2>&1 || { tail -n 20 "$BATS_FILE_TMPDIR/deployed" && false; }
  write_program /home/count.sh <<'END'
#!/bin/bash
step=$(cat "/home/saved-$SLURM_JOB_ID" 2>/dev/null || echo 0)
while [ "$step" -lt "$1" ]; do
  step=$((step + 1))
  [ "$RANK" != 0 ] || { echo $step >"$SLIPWAY_PROGRESS" && echo $step >"/home/new-$SLURM_JOB_ID" && mv "/home/new-$SLURM_JOB_ID" "/home/saved-$SLURM_JOB_ID"; }
  sleep 1
done
echo "rank $RANK of $WORLD_SIZE"
END
}

teardown_file() { slipway destroy $NAME; }

as_user() { slipway exec $NAME login --user nobody --chdir / -- "$@"; }

wait_long() { WAIT_SECONDS=1200 wait_for "$@"; }
all_idle() { [ "$(on $NAME controller sinfo --noheader --format='%D %T')" = "$COUNT idle" ]; }
has_ended() { [ -z "$(on $NAME controller squeue --noheader --jobs="$1" 2>/dev/null)" ]; }

@test "many nodes: deploy names nodes as a host list, and every node is idle" {
  wait_long all_idle
  [ "$(wc -l <"$BATS_FILE_TMPDIR/deployed")" -lt 60 ] || { head -n 60 "$BATS_FILE_TMPDIR/deployed" && false; }
  run slipway status $NAME
  [ "${#lines[@]}" -lt 40 ]
  says "$N-[0-$LAST]"
}

@test "many nodes: srun reaches all of them, ten times in a row, three of them for an ordinary user" {
  local i who
  for i in $(seq 10); do
    who=on
    [ "$i" -gt 3 ] || who=as_user
    if [ $who = on ]; then run on $NAME login srun --quiet --nodes="$COUNT" hostname; else run as_user srun --quiet --nodes="$COUNT" hostname; fi
    [ "$status" -eq 0 ] || { echo "$output" | tail -n 20 && false; }
    [ "$(sort -u <<<"$output" | grep -c "^$N-[0-9]*$")" -eq "$COUNT" ]
    [ "${#lines[@]}" -eq "$COUNT" ]
    wait_long all_idle
  done
}

@test "many nodes: an array with a task for each, and no task is lost" {
  local job
  job=$(as_user sbatch --parsable --array=1-"$COUNT" --output=/dev/null --wrap true)
  wait_long has_ended "$job"
  [ "$(on $NAME controller squeue --noheader --array --states=all --jobs="$job" --format=%T | sort | uniq -c | tr -s ' ')" = " $COUNT COMPLETED" ]
  wait_long all_idle
}

@test "many nodes: a canceled job leaves its nodes, and none is lost" {
  local job
  job=$(as_user sbatch --parsable --nodes="$COUNT" --output=/dev/null --wrap 'srun sleep 1000')
  runs() { on $NAME controller squeue --noheader --steps --jobs="$job" --format=%i | grep -q "$job\.0"; }
  wait_long runs
  as_user scancel "$job"
  wait_long has_ended "$job"
  wait_long all_idle
}

@test "many nodes: slipway launch continues after a killed task and a lost node" {
  local job
  on $NAME login sh -c 'cat >/home/launch.sbatch' <<END
#!/bin/bash
#SBATCH --nodes=$COUNT --exclusive --no-kill --output=/home/%j.out --chdir=/home
# All of these nodes share the CPUs of one machine, so agents are silent for longer than on nodes of their own.
/opt/slipway/bin/slipway launch --heartbeat 60 --spares 2 -- ./count.sh 40
echo "status \$?"
END
  job=$(on $NAME login sbatch --parsable /home/launch.sbatch)
  output_has() { on $NAME login grep -q -- "$1" "/home/$job.out"; }
  at_step() { [ "$(on $NAME login cat "/home/saved-$job" 2>/dev/null || echo 0)" -ge "$1" ]; }
  wait_long at_step 5
  on $NAME $N-7 pkill -KILL -f count.sh
  wait_long output_has "attempt 2 on $((COUNT - 2)) nodes, 2 spares"
  wait_long at_step 15
  slipway fault $NAME $N-9 power-off
  wait_long output_has "node gone, blamed: $N-9"
  wait_long output_has "^status 0$" || { on $NAME login tail -n 30 "/home/$job.out" && false; }
  [ "$(on $NAME login grep -c "^rank [0-9]* of $((COUNT - 2))$" "/home/$job.out")" -eq $((COUNT - 2)) ]
  # No line lists more nodes than eye can follow.
  [ "$(on $NAME login awk '{ if (length > longest) longest = length } END { print longest }' "/home/$job.out")" -lt 400 ]
  run on $NAME login sh -c "cd /home; /opt/slipway/bin/slipway ledger $job"
  says "$N-9: node gone in attempt 2"
  [ "${#lines[@]}" -lt 60 ]
  slipway fault $NAME $N-9 clear
}

@test "many nodes: if all of them break at once, a tenth is drained, and they agree on which" {
  local name limit=$((COUNT / 10))
  [ "$limit" -gt 2 ] || limit=2
  all_look() {
    local name
    for name in $(compute_nodes $NAME); do look "$name" >/dev/null 2>&1 & done
    wait
  }
  drained() { on $NAME controller sinfo --noheader --states=drain --format=%D | awk '{ sum += $1 } END { print sum + 0 }'; }
  slurm_checks_every 0
  for name in $(compute_nodes $NAME); do fault "$name" gpu-lost 1 >/dev/null; done
  all_look
  [ "$(drained)" -eq $limit ] || { drained && on $NAME controller sinfo --list-reasons && false; }
  # Those that serve under alarm do not take the places of those that are drained.
  all_look
  [ "$(drained)" -eq $limit ]
  for name in $(compute_nodes $NAME); do fault "$name" clear >/dev/null; done
  all_look
  all_look
  wait_long all_idle
}

@test "many nodes: the health of all is a report of some lines" {
  run slipway health report $NAME
  [ "${#lines[@]}" -lt 40 ] || { echo "$output" | head -n 60 && false; }
}
