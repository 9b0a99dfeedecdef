# `slipway launch`: jobs that lose tasks, get signals or cannot start, on a real Slurm.

# bats file_tags=long
load helper

NAME=st-launch
N=stlaunch-a3meganodeset

load launch_helper

@test "launch: tasks know their place, and the job ends with their status" {
  submit --spares 1 --ntasks-per-node 2 --label -- ./count.sh 10
  ended 0
  says "attempt 1 on 4 nodes, 1 spare"
  says "7: rank 7 of 8 at $N-0:"
  says "start 0, nccl =enp0s12"
  [ "$(grep -c '^[0-7]: rank [0-7] of 8' <<<"$output")" -eq 8 ]
  ledger >"$BATS_TEST_TMPDIR/ledger"
  grep -q "job $JOB: done after" "$BATS_TEST_TMPDIR/ledger"
  grep -q ", 10 steps, GPU energy 0\.0" "$BATS_TEST_TMPDIR/ledger"
  on $NAME login cat "/home/slipway-ledger-$JOB.jsonl" >"$BATS_TEST_TMPDIR/lines"
  while read -r line; do
    python3 "$TOP/tests/schemas/validate.py" "$TOP/docs/schemas/ledger-1.schema.json" - <<<"$line"
  done < <(sed -n '1p;2p;$p' "$BATS_TEST_TMPDIR/lines"; grep '"energy"' "$BATS_TEST_TMPDIR/lines")
  # Four nodes with eight simulated GPUs at 70 W each.
  grep '"energy"' "$BATS_TEST_TMPDIR/lines" | python3 -c '
import json, sys
energy, = map(json.loads, sys.stdin)
assert 0.5 * 32 * 70 < energy["joules"] < 60 * 32 * 70 and energy["missing"] == [], energy'
}

@test "launch: a killed task blames nobody, and the job resumes where it was" {
  submit --spares 1 -- ./count.sh 25
  wait_for at_step 5
  on $NAME $N-2 pkill -KILL -f count.sh
  ended 0
  says "signal, blamed: unknown"
  says "rank 2 on $N-2 was killed by signal 9"
  says "attempt 2 on 4 nodes, 1 spare"
  says "rank 2 of 4 at $N-0"
  ledger --json >"$BATS_TEST_TMPDIR/account.json"
  python3 "$TOP/tests/schemas/validate.py" "$TOP/docs/schemas/account-1.schema.json" "$BATS_TEST_TMPDIR/account.json"
  grep -q '"attempts": 2' "$BATS_TEST_TMPDIR/account.json"
  grep -q '"gpu_energy_is_complete": true' "$BATS_TEST_TMPDIR/account.json"
  grep -q '"blamed_nodes": \[\]' "$BATS_TEST_TMPDIR/account.json"
}

@test "launch: restarts do not need the controller, and the job ends well when it is back" {
  submit --spares 1 -- ./count.sh 90
  wait_for at_step 1
  write_down "$JOB"
  slipway fault $NAME stlaunch-controller daemon-killed slurmctld
  on $NAME $N-2 pkill -KILL -f count.sh
  wait_for has_said "attempt 2 on 4 nodes, 1 spare"
  wait_for has_said "start 1, nccl"
  # squeue would retry for a minute before giving up.
  run on $NAME controller pgrep -x slurmctld
  [ "$status" -eq 1 ]
  slipway fault $NAME stlaunch-controller clear
  ended 0
  over() { on $NAME login scontrol show job "$JOB" 2>/dev/null | grep -q "JobState=COMPLETED"; }
  wait_for over
}

@test "launch: a step that is written just before the end counts" {
  submit -- sh -c "'echo 0 >\$SLIPWAY_PROGRESS; sleep 1; echo 7 >\$SLIPWAY_PROGRESS'"
  ended 0
  run ledger
  says "7 steps"
}

# Slurm keeps a step open for each job with its own sleep.
@test "launch: leftovers of a task are gone before the next attempt starts" {
  submit --max-restarts 1 -- sh -c "'setsid sleep 1000 & until pgrep -x -f sleep.1000; do :; done >/dev/null; [ \$SLIPWAY_RESTART_COUNT = 1 ] || [ \$RANK != 1 ]; code=\$?; pgrep -c -x -f sleep.1000 >&2; exit \$code'"
  ended 0
  [ "$(grep -cx 1 <<<"$output")" -ge 5 ] || { echo "$output" && return 1; }
  lacks -x '[2-9]'
}

@test "launch: a program error is not retried forever, and no node is blamed for it" {
  submit --spares 1 -- sh -c "'[ \$RANK != 3 ] || { echo cannot read data.bin >&2; exit 7; }; sleep 1000'"
  ended 7
  says "attempt 1: exit, blamed: unknown"
  says "attempt 2: exit, blamed: application"
  says "rank 3 failed in the same way before"
  says "another attempt would fail too: not restarting"
  [[ "$output" != *"attempt 3"* ]]
  # All ranks report the same, as under torchrun: its summary comes last.
  submit -- sh -c "'sleep 0.\$RANK; printf \"Traceback (most recent call last):\\\\nValueError: rank \$RANK\\\\nRoot Cause (first observed failure):\\\\n===========\\\\n\" >&2; exit 1'"
  ended 1
  says "attempt 1: exit, blamed: application"
  says "ValueError: rank"
  says "of 5 ranks failed the same way"
  says "attempt 2: exit, blamed: application"
  [[ "$output" != *"attempt 3"* ]]
  submit -- sh -c "'exit 127'"
  ended 127
  [[ "$output" != *"attempt 2"* ]]
}

@test "launch: a program without progress is restarted" {
  submit --stall 3 -- sh -c "'[ \$SLIPWAY_RESTART_COUNT = 0 ] && sleep 1000; echo went on'"
  ended 0
  says "no progress for 3 s"
  [ "$(grep -c "went on" <<<"$output")" -eq 5 ]
}

@test "launch: when the launcher is killed its tasks end, and the ledger is readable" {
  submit --heartbeat 2 -- ./count.sh 1000
  wait_for at_step 3
  on $NAME $N-0 pkill -KILL -f 'slipway launch --heartbeat'
  wait_for has_said "^status 137\$"
  local node
  for node in $N-1 $N-4; do
    gone() { ! on $NAME "$node" pgrep -f count.sh; }
    wait_for gone
  done
  ledger | grep -q "1 attempt"
}

@test "launch: scancel ends the tasks, and nothing is restarted" {
  submit -- ./count.sh 1000
  wait_for at_step 3
  on $NAME login scancel "$JOB"
  wait_for has_said "ending the job: received a signal (Terminated)"
  cancelled() { ledger | grep -q "cancelled after"; }
  wait_for cancelled || { output; on $NAME login cat "/home/slipway-ledger-$JOB.jsonl"; false; }
  refuse grep -q "attempt 2" <<<"$(output)"
}

@test "launch: a signal for the program reaches its tasks, from Slurm and from the launcher" {
  local script="'trap \"echo got it; exit 0\" USR1; echo ready; while :; do sleep 0.1; done'"
  all_ready() { [ "$(output 2>/dev/null | grep -c ready)" -eq 5 ]; }
  submit -- bash -c "$script"
  wait_for all_ready
  on $NAME login scancel --signal=USR1 "$JOB"
  ended 0
  [ "$(grep -c "got it" <<<"$output")" -eq 5 ]
  submit --label -- bash -c "$script"
  wait_for all_ready
  on $NAME $N-0 pkill -USR1 -f 'slipway launch --label'
  ended 0
  [ "$(grep -c "got it" <<<"$output")" -eq 5 ]
}

@test "launch: reports what cannot work before anything is started" {
  run on $NAME login /opt/slipway/bin/slipway launch -- true
  fails_with 2 "not in a Slurm allocation"
  local launch=/opt/slipway/bin/slipway
  run on $NAME login salloc --quiet --nodes=2 $launch launch --spares 2 -- true
  fails_with 2 "--spares 2 leaves no node to run on: the job has 2 nodes"
  run on $NAME login salloc --quiet --nodes=2 $launch launch --min-nodes 3 -- true
  fails_with 2 "--min-nodes 3 is too high: without the spares, the job has 2 nodes"
  run on $NAME login salloc --quiet --nodes=2 $launch launch -- no-such-program
  fails_with 2 "program \`no-such-program\` not found on this node"
  run on $NAME login salloc --quiet --nodes=2 $launch launch -- true
  fails_with 1 "has no \`#SBATCH --no-kill\`"
  run on $NAME login salloc --quiet --no-kill --nodes=2 $launch launch --no-kill --ledger /proc/x -- true
  fails_with 1 "cannot write /proc/x"
}

@test "launch: a task of a job array has the name that squeue shows, and a ledger by that name" {
  local script=/home/array.sbatch
  on $NAME login sh -c "cat >$script" <<'END'
#!/bin/bash
#SBATCH --nodes=1 --exclusive --no-kill --array=3-4 --chdir=/home --output=/dev/null
/opt/slipway/bin/slipway launch -- true
END
  JOB=$(on $NAME login sbatch --wait --parsable $script)
  run on $NAME login sh -c "cd /home; /opt/slipway/bin/slipway ledger ${JOB}_4"
  says "job ${JOB}_4: done after"
  run on $NAME login sh -c "cd /home; ls slipway-ledger-${JOB}_* slipway-ledger-$JOB.*"
  [ "${lines[*]}" = "ls: cannot access 'slipway-ledger-$JOB.*': No such file or directory slipway-ledger-${JOB}_3.jsonl slipway-ledger-${JOB}_4.jsonl" ]
}

@test "launch: in a heterogeneous job it says which nodes are left out" {
  on $NAME login sh -c 'cat >/home/het.sbatch' <<'END'
#!/bin/bash
#SBATCH --nodes=1 --exclusive --no-kill --chdir=/home --output=/home/het.out
#SBATCH hetjob
#SBATCH --nodes=2 --exclusive --no-kill
/opt/slipway/bin/slipway launch -- true
END
  on $NAME login sbatch --wait /home/het.sbatch
  run on $NAME login cat /home/het.out
  says "is heterogeneous, and only its first component is used, not $N-["
  says "start something else there with \`srun --het-group\`"
}

@test "launch: a stopped rank is found from outside, its node is replaced, and the user learns of it" {
  write_program /home/together.sh <<'END'
#!/bin/bash
# Each step needs all ranks, and only rank 0 prints.
at=/home/at-$SLURM_JOB_ID-$SLIPWAY_RESTART_COUNT
for ((step = 1; step <= $1; ++step)); do
  touch "$at-$step-$RANK"
  for ((rank = 0; rank < WORLD_SIZE; ++rank)); do
    until [ -e "$at-$step-$rank" ]; do sleep 0.2; done
  done
  [ "$RANK" != 0 ] || echo "step $step"
done
END
  write_program /home/told.sh <<'END'
#!/bin/sh
cat >>/home/told
END
  submit --spares 1 --hang 6 --on-hang blame --progress-regex "'step ([0-9]+)'" --tell /home/told.sh -- ./together.sh 30
  wait_for has_said "step 3"
  on $NAME $N-2 pkill -STOP -f together.sh
  ended 0
  says "hang: no output, no step and no file transfer of 4 ranks for"
  says "rank 2 is stopped (on $N-2)"
  says "hang, blamed: $N-2"
  says "attempt 2 on 4 nodes, 0 spares"
  on $NAME login cat "/home/slipway-ledger-$JOB.jsonl" >"$BATS_TEST_TMPDIR/lines"
  grep '"event":"finding"' "$BATS_TEST_TMPDIR/lines" | python3 "$TOP/tests/schemas/validate.py" "$TOP/docs/schemas/ledger-1.schema.json" -
  grep -q '"event":"progress","attempt":1,"step":[1-9]' "$BATS_TEST_TMPDIR/lines"
  on $NAME login grep -q '"event":"job-failure".*"text":"attempt 1: hang: ' /home/told
  on $NAME login grep -q "\"event\":\"spares\".*$N-2" /home/told
  # What `slipway tell serve` reads.
  on $NAME controller scontrol show job "$JOB" | grep -qF 'Comment=slipway launch: no spare node is left, 1 blamed'
}
