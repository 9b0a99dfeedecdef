# `slipway launch` when the node of the batch script and the launcher dies, on a real Slurm. soak_first_node.bats runs
# more cases, for longer.

# bats file_tags=long,thorough
load helper

NAME=st-first

load first_node_helper

setup_file() {
  deploy $NAME --nodes a3mega_nodeset=5
  install_program
}

teardown_file() { slipway destroy $NAME; }

teardown() { [ -n "${BATS_TEST_COMPLETED:-}" ] || clean_up; }

@test "launch: if the first node hangs and the job cannot start without it, the job ends with the reason; after the thaw nobody writes" {
  submit_launch 5 --no-kill
  fails hang
  wait_for has_said "job $JOB cannot be requeued: it needs 5 nodes, but only 4 are not excluded" || { record; false; }
  wait_for record_has "Comment=slipway launch: job $JOB cannot be requeued"
  local ended='"event":"end","result":"failed"'
  last_line() { on $NAME login sh -c "tail -n 1 /home/slipway-ledger-$JOB.jsonl"; }
  is_noted() { last_line | grep -q "$ended"; }
  wait_for is_noted
  slipway fault $NAME $N-0 clear
  wait_for record_has "JobState=CANCELLED"
  wait_for node_is $N-0 idle
  is_noted
}

@test "launch: if the first node loses its power, the agents requeue the job, Slurm learns of the node, and no GPU is lost" {
  submit_launch 3 --no-kill
  fails power-off
  wait_until_queued
  wait_for record_has "ExcNodeList=$N-0 "
  record_has "Comment=slipway launch: node gone: $N-0: it ran the batch script and the launcher"
  # Before Slurm's own minute is over.
  wait_for down_by_watch
  wait_for record_has "JobState=RUNNING"
  record_has " NodeList=$N-\[1-3\] "
  run on $NAME login sh -c "cd /home; /opt/slipway/bin/slipway ledger $JOB"
  says "$N-0: node gone in attempt 1"
  on $NAME login scancel "$JOB"
  heal
  wait_for all_idle
  # Slurm before 23.02.2 loses the GPUs of the second run if the dead node was the last to leave the first run.
  all_nodes_serve 5
}
