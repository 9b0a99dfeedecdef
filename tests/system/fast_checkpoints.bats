# `slipway launch --fast-checkpoints`: steps in the memory of other nodes, on a real Slurm.

load helper

NAME=st-memory
N=stmemory-a3meganodeset

load launch_helper

setup_file() { deploy "$NAME" --nodes a3mega_nodeset=6; }

teardown() { leave_nothing "${N%-*}-controller" "$N"-0 "$N"-1 "$N"-2 "$N"-3 "$N"-4 "$N"-5; }

setup() {
  # A program whose only memory are its fast checkpoints: ./remember.sh STEPS [stubborn]
  write_program /home/remember.sh <<'END'
#!/bin/bash
[ "${2:-}" != stubborn ] || trap '' TERM
step=0
for each in "$SLIPWAY_CHECKPOINTS"/*; do
  [ ! -e "$each" ] || step=$(cat "$each/sub/step")
done
echo "rank $RANK begins at step $step with $(ls "$SLIPWAY_CHECKPOINTS" | wc -l) steps, mode $(stat -c %a "$SLIPWAY_CHECKPOINTS"), $(stat -f -c %T "$SLIPWAY_CHECKPOINTS")"
echo $step >"$SLIPWAY_PROGRESS"
while [ "$step" -lt "$1" ]; do
  step=$((step + 1))
  new=$SLIPWAY_CHECKPOINTS/step-$step
  mkdir -p "$new.tmp/sub"
  echo $step >"$new.tmp/sub/step"
  mv "$new.tmp" "$new"
  echo $step >"$SLIPWAY_PROGRESS"
  [ "$RANK" != 0 ] || echo $step >"/home/saved-$SLURM_JOB_ID"
  sleep 0.1
done
END
}

# matches REGEX: the last `run` printed a line like this
matches() { grep -q -- "$1" <<<"$output" || { echo "wanted $1, got: $output" >&2 && false; }; }
keepers() { on "$NAME" "$1" pgrep -c slipway-keeper; }
no_keeper() { ! keepers "$1" >/dev/null; }

@test "fast checkpoints: after the loss of a node, every rank resumes at the same step" {
  NODES=5 submit --spares 1 --fast-checkpoints=64M -- ./remember.sh 120
  wait_for has_said "is the first in memory: each rank's on 3 nodes"
  wait_for at_step 30
  slipway fault $NAME $N-1 power-off
  ended 0
  slipway fault $NAME $N-1 power-on
  says "attempt 1: node gone, blamed: $N-1"
  matches "each rank has step [0-9]* from memory"
  local step
  step=$(sed -n 's/.*each rank has step \([0-9]*\) from memory/\1/p' <<<"$output")
  [ "$step" -ge 20 ]
  for rank in 0 1 2 3; do says "rank $rank begins at step $step with 1 steps, mode 700, tmpfs"; done
  on $NAME login grep -q "\"event\":\"restore\",\"attempt\":2,\"what\":\"memory\",\"step\":$step" "/home/slipway-ledger-$JOB.jsonl"
  ledger >/dev/null
}

@test "fast checkpoints: when all nodes that had a rank's step are gone, launch says so" {
  wait_for node_is $N-1 idle
  NODES=6 submit --spares 2 --fast-checkpoints --copies 1 -- ./remember.sh 60 stubborn
  wait_for has_said "is the first in memory: each rank's on 2 nodes"
  wait_for at_step 10
  # The second one while tasks take their time to end: later, its copies would have gone to another node.
  slipway fault $NAME $N-1 power-off
  slipway fault $NAME $N-2 power-off
  ended 0
  slipway fault $NAME $N-1 power-on
  slipway fault $NAME $N-2 power-on
  matches "no step is left in memory (all nodes that had step [0-9]* of rank 1 are gone): the program loads its checkpoint from disk"
  [ "$(grep -c "rank 0 begins at step 0 with 0 steps" <<<"$output")" -eq 2 ]
  on $NAME login grep -q '"event":"restore","attempt":2,"what":"disk"' "/home/slipway-ledger-$JOB.jsonl"
}

@test "fast checkpoints: they go with the agent, with the keeper and with the job, however these end" {
  wait_for node_is $N-1 idle
  wait_for node_is $N-2 idle
  NODES=3 submit --spares 1 --fast-checkpoints -- ./remember.sh 1000
  wait_for has_said "is the first in memory: each rank's on 2 nodes"
  says_off() { has_said "fast checkpoints are off: $N-1: its keeper ended"; }
  on $NAME $N-1 pkill -KILL slipway-keeper
  wait_for says_off
  # The program goes on, and a new keeper removes what it writes.
  local before
  before=$(on $NAME login cat "/home/saved-$JOB")
  wait_for at_step $((before + 10))
  lacks_failure() { ! has_said "attempt 1:"; }
  lacks_failure
  on $NAME $N-1 pkill -KILL -f "launch --agent"
  wait_for no_keeper $N-1
  wait_for has_said "attempt 2 on 2 nodes, 0 spares"
  on $NAME login scancel "$JOB"
  for node in 0 1 2; do wait_for no_keeper $N-$node; done
  gone() { ! on $NAME "$1" find / -xdev -name 'slipway-checkpoints-*' 2>/dev/null | grep -q .; }
  for node in 0 1 2; do wait_for gone $N-$node; done
}

# Last, because it takes a node.
@test "fast checkpoints: a training run that loses a node ends like an undisturbed one, to the last bit" {
  local train=/opt/slipway/share/slipway/examples/train
  local run="/usr/bin/python3 $train/train.py --steps 60 --every 1000 --batch 4 --context 32 --width 32 --layers 1"
  on $NAME login mkdir -p /home/none-1 /home/none-2
  NODES=5 submit --spares 1 -- $run --checkpoints /home/none-1 --losses /home/undisturbed.losses
  ended 0
  NODES=5 submit --spares 1 --fast-checkpoints -- $run --checkpoints /home/none-2 --losses /home/disturbed.losses
  trained() { [ "$(on $NAME login sh -c "cat /home/disturbed.losses 2>/dev/null | wc -l")" -ge "$1" ]; }
  wait_for trained 20
  slipway fault $NAME $N-2 power-off
  ended 0
  slipway fault $NAME $N-2 power-on
  matches "each rank has step [0-9]* from memory"
  on $NAME login sort -un /home/undisturbed.losses >"$BATS_TEST_TMPDIR/undisturbed"
  # Steps that were done twice had the same loss twice.
  on $NAME login sort -u /home/disturbed.losses | sort -n >"$BATS_TEST_TMPDIR/disturbed"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/undisturbed")" -eq 60 ]
  diff "$BATS_TEST_TMPDIR/undisturbed" "$BATS_TEST_TMPDIR/disturbed"
}
