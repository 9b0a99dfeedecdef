# examples/train: a training run that loses a node ends like an undisturbed one.

# bats file_tags=long
load helper

NAME=st-train
N=sttrain-a3meganodeset
TRAIN=/opt/slipway/share/slipway/examples/train

setup_file() { deploy $NAME --nodes a3mega_nodeset=3; }

teardown_file() { slipway destroy $NAME; }

# Two ranks and a spare; steps of some hundredths of a second, losses to /home/NAME.losses
train() {
  local name=$1
  shift
  on $NAME login sh -c "cd /home; TRAIN_OPTIONS='--steps 300 --every 20 --batch 4 --context 32 --width 32 --layers 1 \
    --losses /home/$name.losses' sbatch --parsable --nodes=3 --output=/home/$name.out $* $TRAIN/cpu.sbatch"
}

output() { on $NAME login cat "/home/$1.out"; }
has_ended() { ! on $NAME login squeue --noheader --format=%T --job "$1" 2>/dev/null | grep -q .; }
at_step() { [ "$(on $NAME login sh -c "cat /home/$1.losses 2>/dev/null | wc -l")" -ge "$2" ]; }

# bats test_tags=thorough
@test "train: if checkpoints cannot be written, or have no folder, there is no further attempt" {
  on $NAME $N-0 sh -c 'mkdir /run/full && mount -t tmpfs -o size=64k tmpfs /run/full'
  # Debian's python3, whatever the submitting user's PATH is.
  on $NAME login sbatch --nodes=1 --nodelist=$N-0 --exclusive --output=/home/full.out --wrap \
    "/opt/slipway/bin/slipway launch --no-kill -- /usr/bin/python3 $TRAIN/train.py --checkpoints /run/full --every 1"
  gave_up() { output full 2>/dev/null | grep -q "attempt 1: exit"; }
  wait_for gave_up
  run output full
  says "exit, blamed: application"
  [[ "$output" != *"attempt 2"* ]]
  says "cannot write to /run/full: [Errno 28] No space left on device"
  run on $NAME login srun --nodes=1 --exclusive --no-kill \
    /opt/slipway/bin/slipway launch --no-kill -- /usr/bin/python3 $TRAIN/train.py --checkpoints /home/nowhere
  fails_with 93 "the checkpoint folder /home/nowhere does not exist"
  [[ "$output" != *"attempt 2"* ]]
}

@test "train: Slurm accepts the script for A3 Mega" {
  run on $NAME login sbatch --test-only --nodes=2 $TRAIN/a3-megagpu.sbatch
  [ "$status" -eq 0 ] || { echo "$output" && false; }
}

# Last, because it takes a node.
@test "train: with a node lost, the losses equal those of an undisturbed run, to the last bit" {
  local undisturbed disturbed
  undisturbed=$(train undisturbed)
  wait_for at_step undisturbed 300 || { output undisturbed && false; }
  wait_for has_ended "$undisturbed"
  disturbed=$(train disturbed)
  wait_for at_step disturbed 30
  slipway fault $NAME $N-1 power-off
  ended_well() { on $NAME login sh -c "cd /home; /opt/slipway/bin/slipway ledger $disturbed" | grep -q "done after"; }
  wait_for ended_well || { output disturbed && false; }
  run output disturbed
  says "node gone, blamed: $N-1"
  says "2 ranks on cpu, from step"
  [ "$(grep -c '2 ranks on cpu, from step 0 ' <<<"$output")" -eq 1 ]
  # Steps that were done twice had the same loss twice.
  on $NAME login sort -un /home/undisturbed.losses >"$BATS_TEST_TMPDIR/undisturbed"
  on $NAME login sort -u /home/disturbed.losses | sort -n >"$BATS_TEST_TMPDIR/disturbed"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/undisturbed")" -eq 300 ]
  diff "$BATS_TEST_TMPDIR/undisturbed" "$BATS_TEST_TMPDIR/disturbed"
  run on $NAME login sh -c "cd /home; /opt/slipway/bin/slipway ledger $disturbed"
  says "300 steps"
  says "$N-1: node gone in attempt 1"
}
