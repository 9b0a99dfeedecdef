# `slipway launch` when the node of the batch script and the launcher dies, on a real Slurm.

load helper

NAME=st-first
N=stfirst-a3meganodeset

setup_file() {
  deploy $NAME --nodes a3mega_nodeset=5
  on $NAME login sh -c 'cat >/home/count.sh; chmod 755 /home/count.sh' <<'END'
#!/bin/bash
step=0
while [ "$step" -lt "$1" ]; do
  step=$((step + 1))
  echo $step >"$SLIPWAY_PROGRESS"
  [ "$RANK" != 0 ] || echo $step >"/home/at-$SLURM_JOB_ID"
  sleep 0.1
done
END
}

teardown_file() { slipway destroy $NAME; }

# A test that fails leaves no job and no fault to the next.
teardown() {
  [ -z "${BATS_TEST_COMPLETED:-}" ] || return 0
  slipway fault $NAME $N-0 clear || true
  on $NAME login scancel --user=root || true
}

# submit NODES: a job with one spare; its number is in JOB, its output in /home/JOB.out
submit() {
  on $NAME login sh -c 'cat >/home/launch.sbatch' <<END
#!/bin/bash
#SBATCH --nodes=$1 --exclusive --no-kill --open-mode=append
#SBATCH --output=/home/%j.out
#SBATCH --chdir=/home
/opt/slipway/bin/slipway launch --spares 1 --heartbeat 2 -- ./count.sh 1000
END
  JOB=$(on $NAME login sbatch --parsable /home/launch.sbatch)
  wait_for at_step 5
}

at_step() { [ "$(on $NAME login cat "/home/at-$JOB" 2>/dev/null || echo 0)" -ge "$1" ]; }
has_said() { on $NAME login grep -q -- "$1" "/home/$JOB.out"; }
record() { on $NAME login scontrol show job --oneliner "$JOB"; }
record_has() { record | grep -q -- "$1"; }

@test "launch: when the first node hangs and the job could not start without it, it ends with the reason; thawed, nobody writes" {
  submit 5
  slipway fault $NAME $N-0 hang
  wait_for has_said "job $JOB cannot be queued again: it needs 5 nodes, and there are 4 without those that are excluded" || { record; false; }
  wait_for record_has "Comment=slipway launch: job $JOB cannot be queued again"
  local ended='"event":"end","result":"failed"'
  last_line() { on $NAME login sh -c "tail -n 1 /home/slipway-ledger-$JOB.jsonl"; }
  is_noted() { last_line | grep -q "$ended"; }
  wait_for is_noted
  slipway fault $NAME $N-0 clear
  wait_for record_has "JobState=CANCELLED"
  wait_for node_is $N-0 idle
  is_noted
}

@test "launch: when the first node loses its power, the agents have the job queued again, and Slurm is told of the node" {
  submit 3
  slipway fault $NAME $N-0 power-off
  local begin=$SECONDS
  wait_for record_has "Restarts=1 .*ExcNodeList=$N-0 " || { record; false; }
  [ $((SECONDS - begin)) -le 30 ]
  record_has "Comment=slipway launch: node gone: $N-0: it had the batch script and the launcher"
  # Before Slurm's own minute.
  down() { [ "$(on $NAME controller sinfo --noheader --Node --nodes=$N-0 --format='%E')" = "slipway: the node is off or out of reach" ]; }
  wait_for down
  wait_for record_has "JobState=RUNNING"
  record_has " NodeList=$N-\[1-3\] "
  run on $NAME login sh -c "cd /home; /opt/slipway/bin/slipway ledger $JOB"
  says "$N-0: node gone in attempt 1"
  on $NAME login scancel "$JOB"
  slipway fault $NAME $N-0 clear
  wait_for node_is $N-0 idle
}
