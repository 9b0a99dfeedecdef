# `slipway launch --grow`: a job that has lost nodes takes in repaired or other ones, on a real Slurm.

# bats file_tags=long
load helper

NAME=st-grow
N=stgrow-a3meganodeset

load launch_helper

setup_file() {
  deploy "$NAME" --nodes a3mega_nodeset=8
  # Counts steps, with a checkpoint on disk every ten: ./disk.sh STEPS
  write_program /home/disk.sh <<'END'
#!/bin/bash
saved=$(cat "/home/saved-$SLURM_JOB_ID" 2>/dev/null || echo 0)
step=$saved
echo "rank $RANK of $WORLD_SIZE in job $SLURM_JOB_ID begins at step $step, changed from ${SLIPWAY_WORLD_CHANGED:-nothing}"
echo "$step $saved" >"$SLIPWAY_PROGRESS"
while [ "$step" -lt "$1" ]; do
  step=$((step + 1))
  if [ $((step % 10)) = 0 ]; then
    [ "$RANK" != 0 ] || { echo $step >"/home/new-$SLURM_JOB_ID" && mv "/home/new-$SLURM_JOB_ID" "/home/saved-$SLURM_JOB_ID" && saved=$step; }
  fi
  echo "$step $saved" >"$SLIPWAY_PROGRESS"
  sleep 0.2
done
END
}

teardown() { leave_nothing "${N%-*}-controller" "$N"-{0..7}; }

# matches REGEX: the last `run` printed a line like this
matches() { grep -q -- "$1" <<<"$output" || { echo "wanted $1, got: $output" >&2 && false; }; }
helpers() { on $NAME login squeue --noheader --name="slipway-grow-$JOB" --format='%A %T %N'; }
no_helpers() { [ -z "$(helpers)" ]; }
# has_extern: the job's first step, which has no command, runs on a surviving node. Slurm kills it when a node is lost.
has_extern() { on $NAME $N-1 pgrep -f "^slurmstepd: .$JOB.extern" >/dev/null; }
# sets_down NODE...: tells Slurm that nodes are dead, which it would notice after SlurmdTimeout. Not at the same time:
# slurmstepd 22.05 may hang for UnkillableStepTimeout if it is killed twice within a moment.
sets_down() {
  local node
  for node in "$@"; do
    on $NAME controller scontrol update "NodeName=$node" State=DOWN Reason=dead
    WAIT_SECONDS=10 wait_for refuse has_extern || true
  done
}

# all_come_back: every node can be used again; what keeps one away is printed
all_come_back() {
  local node
  for node in {0..7}; do
    WAIT_SECONDS=240 wait_for node_is "$N-$node" idle || {
      on $NAME controller sh -c 'scontrol show node "$0"; squeue --states=all; grep "$0" /var/log/slurm/slurmctld.log | tail -n 40' "$N-$node"
      return 1
    }
  done
}

# bats test_tags=thorough
@test "grow: 8, 6 and 8 nodes again, and the losses are those of 8 nodes all along" {
  local train=/opt/slipway/share/slipway/examples/train
  local run="/usr/bin/python3 $train/train.py --steps 600 --every 100000 --batch 48 --context 16 --width 16 --heads 2 --layers 1 --double"
  on $NAME login mkdir -p /home/none-1 /home/none-2
  NODES=8 submit --fast-checkpoints -- $run --checkpoints /home/none-1 --losses /home/undisturbed.losses
  WAIT_SECONDS=400 ended 0
  # On a busy machine, two nodes can be lost, and join, several seconds apart: the first with a restart of its own.
  NODES=8 submit --min-nodes 6 --grow=20 --heartbeat 2 --fast-checkpoints -- $run --checkpoints /home/none-2 --losses /home/grown.losses
  trained() { [ "$(on $NAME login sh -c "cat /home/grown.losses 2>/dev/null | wc -l")" -ge "$1" ]; }
  wait_for trained 20
  slipway fault $NAME $N-6 power-off
  slipway fault $NAME $N-7 power-off
  wait_for has_said "on 6 nodes, 0 spares"
  sets_down $N-6 $N-7
  slipway fault $NAME $N-6 power-on
  slipway fault $NAME $N-7 power-on
  wait_for has_said "to grow from [67] to 8 nodes" || {
    output
    on $NAME login sh -c 'squeue; sinfo --Node --format="%N %T %E"'
    return 1
  }
  WAIT_SECONDS=400 ended 0
  [ "$(grep -c "each rank has step [0-9]* from memory" <<<"$output")" -ge 2 ]
  matches "^6 ranks instead of [78], still 48 sequences per step"
  matches "^8 ranks instead of [67], still 48 sequences per step"
  wait_for no_helpers
  on $NAME login cat /home/undisturbed.losses >"$BATS_TEST_TMPDIR/undisturbed"
  on $NAME login cat /home/grown.losses >"$BATS_TEST_TMPDIR/grown"
  on $NAME login cat "/home/slipway-ledger-$JOB.jsonl" >"$BATS_TEST_TMPDIR/ledger"
  run python3 "$BATS_TEST_DIRNAME/compare_growth.py" "$BATS_TEST_TMPDIR"/{undisturbed,grown,ledger}
  echo "# $output" >&3
  [ "$status" -eq 0 ]
  ledger >/dev/null
}

@test "grow: from disk, at the program's checkpoint and not before, with another node" {
  for node in 6 7; do wait_for node_is $N-$node idle; done
  NODES=4 submit --min-nodes 3 --grow=5 --heartbeat 2 -- ./disk.sh 300
  wait_for at_step 10
  local lost
  lost=$(on $NAME login squeue --noheader --job "$JOB" --format=%N)
  lost=$(on $NAME login scontrol show hostnames "$lost" | tail -1)
  slipway fault $NAME "$lost" power-off
  wait_for has_said "to grow from 3 to 4 nodes"
  on $NAME login grep -Eq '"event":"grow","attempt":2,"nodes":\["[^"]*"\],"step":[0-9]*0}' "/home/slipway-ledger-$JOB.jsonl"
  WAIT_SECONDS=240 ended 0
  slipway fault $NAME "$lost" power-on
  # At once after a checkpoint: nothing is done twice.
  local step
  step=$(sed -n 's/.*: ended at step \([0-9]*\) to grow.*/\1/p' <<<"$output")
  says "rank 3 of 4 in job $JOB begins at step $step, changed from 3"
  says "rank 0 of 4 in job $JOB begins at step $step, changed from 3"
  [ $((step % 10)) = 0 ]
  ledger >/dev/null
  wait_for no_helpers
}

# bats test_tags=thorough
@test "grow: a node with another version is asked once, and others join" {
  all_come_back
  with_other_version $N-4
  NODES=4 submit --min-nodes 3 --grow=5 --heartbeat 2 -- ./disk.sh 10000
  wait_for at_step 10
  slipway fault $NAME $N-3 power-off
  wait_for has_said "$N-4: slipway launch on $N-0 is version .* the agent there is 99.0 (protocol [0-9]*): install the same version on all nodes"
  WAIT_SECONDS=240 wait_for has_said "to grow from 3 to 4 nodes"
  wait_for has_said "attempt 3 on 4 nodes"
  run output
  [ "$(grep -c "the agent there is 99.0" <<<"$output")" -eq 1 ]
  on $NAME login grep -c "error: slipway launch on .* the agent on $N-4 is 99.0" "/home/slipway-grow-$JOB.out"
  on $NAME login scancel "$JOB"
  wait_for no_helpers
  with_own_version $N-4
  slipway fault $NAME $N-3 power-on
}

# bats test_tags=thorough
@test "grow: a lost spare is replaced without a restart; helper jobs end with the job" {
  all_come_back
  NODES=8 submit --spares 1 --grow=5 --heartbeat 2 -- ./disk.sh 10000
  wait_for at_step 10
  slipway fault $NAME $N-7 power-off
  waits() { helpers | grep -q PENDING; }
  wait_for waits
  sets_down $N-7
  slipway fault $NAME $N-7 power-on
  wait_for has_said "$N-7 has joined the job as a spare"
  refuse has_said "attempt 2"
  slipway fault $NAME $N-3 power-off
  wait_for has_said "attempt 2 on 7 nodes, 0 spares"
  on $NAME login scancel "$JOB"
  wait_for no_helpers
  slipway fault $NAME $N-3 power-on
  all_come_back
}
