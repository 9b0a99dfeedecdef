# `slipway launch --fast-checkpoints`: steps in the memory of other nodes, on a real Slurm.

# bats file_tags=long
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
  echo "$RANK" >"$new.tmp/rank" # differs, so a step fits this number of ranks only
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
  # If Slurm could not tell a node that a job has ended, it asks again after one or two minutes.
  WAIT_SECONDS=240 wait_for node_is $N-1 idle
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
  # If Slurm could not tell a node that a job has ended, it asks again after one or two minutes.
  WAIT_SECONDS=240 wait_for node_is $N-1 idle
  WAIT_SECONDS=240 wait_for node_is $N-2 idle
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

@test "fast checkpoints: other users can neither read nor write them" {
  wait_for no_keeper $N-0 # of the job before
  wait_for node_is $N-0 idle # or the job runs on others
  NODES=2 submit --fast-checkpoints -- ./remember.sh 1000
  wait_for has_said "is the first in memory: each rank's on 2 nodes"
  # In the job's own view of /dev/shm, which others do not have either.
  as_nobody() {
    on $NAME $N-0 sh -c 'nsenter --mount --target "$(pgrep -o slipway-keeper)" setpriv --reuid 65534 --regid 65534 --clear-groups sh -c "$1"' sh "$1" 2>&1
  }
  as_nobody 'echo /dev/shm/slipway-checkpoints-*' | grep -q /dev/shm/slipway-checkpoints-.
  for try in 'ls /dev/shm/slipway-checkpoints-*' 'cat /dev/shm/slipway-checkpoints-*/rank-0/step-1/sub/step' \
    'touch /dev/shm/slipway-checkpoints-*/file' 'mkdir /dev/shm/slipway-checkpoints-*/rank-0/step-5.tmp' 'rm -r /dev/shm/slipway-checkpoints-*'; do
    run as_nobody "$try"
    [ "$status" -ne 0 ]
    grep -qE "Permission denied|Operation not permitted|No such file" <<<"$output"
  done
  on $NAME login scancel "$JOB"
  wait_for no_keeper $N-0
}

@test "fast checkpoints: a new job starts from the steps on disk, with the ranks that wrote them" {
  NODES=2 submit --fast-checkpoints --persist /home/steps --persist-every 10 -- ./remember.sh 1000
  wait_for has_said "is the first in /home/steps"
  on_disk() { on $NAME login sh -c 'ls /home/steps' | grep -q "^step-[3-9]"; }
  wait_for on_disk
  on $NAME login scancel "$JOB"
  wait_for no_keeper $N-0
  local before=$JOB step
  step=$(on $NAME login sh -c 'ls /home/steps' | sed -n 's/^step-//p' | sort -n | tail -1)
  on $NAME login cmp "/home/steps/step-$step/rank-1/sub/step" - <<<"$step"
  NODES=2 submit --fast-checkpoints --persist /home/steps --persist-every 10 -- ./remember.sh $((step + 5))
  ended 0
  says "each rank has step $step from /home/steps, written by job $before"
  for rank in 0 1; do says "rank $rank begins at step $step with 1 steps, mode 700, tmpfs"; done
  on $NAME login grep -q "\"what\":\"persisted\",\"step\":$step" "/home/slipway-ledger-$JOB.jsonl"
  ledger >/dev/null
  # A part that was damaged is noticed, and the step before is taken.
  step=$(on $NAME login sh -c 'ls /home/steps' | sed -n 's/^step-//p' | sort -n | head -1)
  on $NAME login sh -c 'cd /home/steps/"$(ls /home/steps | sort -t- -k2n | tail -1)"/rank-1/sub && echo 9 >step'
  NODES=2 submit --fast-checkpoints --persist /home/steps --persist-every 1000 -- ./remember.sh $((step + 5))
  ended 0
  says "each rank has step $step from /home/steps"
  NODES=3 submit --fast-checkpoints --persist /home/steps --persist-every 1000 -- ./remember.sh 5
  ended 0
  matches "step [0-9]* in /home/steps is one of 2 ranks"
}

@test "fast checkpoints: a program asks which step is complete, and waits for one" {
  WAIT_SECONDS=240 wait_for node_is $N-1 idle
  write_program /home/ask.py <<'END'
#!/usr/bin/python3
import os, pathlib, sys, time
sys.path.insert(0, "/opt/slipway/share/slipway/examples/train")
import complete
folder, rank = pathlib.Path(os.environ["SLIPWAY_CHECKPOINTS"]), os.environ["RANK"]
step = complete.newest() or 0
print(f"rank {rank} begins with {complete.newest()}", flush=True)
assert [each.name for each in folder.iterdir()] == ([f"step-{step}"] if step else [])
while step < 60:
    step += 1
    partial = folder / f"step-{step}.tmp"
    partial.mkdir()
    (partial / "rank").write_text(rank)
    partial.rename(folder / f"step-{step}")
    pathlib.Path(os.environ["SLIPWAY_PROGRESS"]).write_text(str(step))
    if step % 10 == 0:
        assert complete.wait(step, seconds=120)
        assert complete.newest() == step and not complete.wait(step + 1, seconds=0)
        print(f"rank {rank} has step {step} complete", flush=True)
    time.sleep(0.05)
END
  NODES=4 submit --spares 1 --fast-checkpoints -- ./ask.py
  wait_for has_said "rank 2 has step 20 complete"
  slipway fault $NAME $N-1 power-off
  ended 0
  slipway fault $NAME $N-1 power-on
  local step
  step=$(sed -n 's/.*each rank has step \([0-9]*\) from memory/\1/p' <<<"$output")
  [ "$step" -ge 20 ]
  for rank in 0 1 2; do
    says "rank $rank begins with None"
    says "rank $rank begins with $step"
    says "rank $rank has step 60 complete"
  done
}

# Last, because it takes a node.
# bats test_tags=thorough
@test "fast checkpoints: a training run that loses a node ends like an undisturbed one, to the last bit" {
  local train=/opt/slipway/share/slipway/examples/train
  local run="/usr/bin/python3 $train/train.py --steps 300 --every 1000 --batch 4 --context 32 --width 32 --layers 1"
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
  [ "$(wc -l <"$BATS_TEST_TMPDIR/undisturbed")" -eq 300 ]
  diff "$BATS_TEST_TMPDIR/undisturbed" "$BATS_TEST_TMPDIR/disturbed"
}
