# `slipway launch`: jobs that lose tasks and nodes, on a real Slurm.

# bats file_tags=long
load helper
load health_helper

NAME=st-launch
N=stlaunch-a3meganodeset

setup_file() {
  deploy $NAME --nodes a3mega_nodeset=5
  # A program that saves its step in a file shared by all nodes, and resumes from there: ./count.sh STEPS
  write_program /home/count.sh <<'END'
#!/bin/bash
step=$(cat "/home/saved-$SLURM_JOB_ID" 2>/dev/null || echo 0)
echo $step >"$SLIPWAY_PROGRESS"
sleep 0.5
while [ "$step" -lt "$1" ]; do
  step=$((step + 1))
  echo $step >"$SLIPWAY_PROGRESS"
  [ "$RANK" != 0 ] || { echo $step >"/home/new-$SLURM_JOB_ID"; mv "/home/new-$SLURM_JOB_ID" "/home/saved-$SLURM_JOB_ID"; }
  sleep 0.1
done
echo "rank $RANK of $WORLD_SIZE at $MASTER_ADDR:$MASTER_PORT, start $SLIPWAY_RESTART_COUNT, nccl $NCCL_SOCKET_IFNAME"
END
}

teardown_file() { slipway destroy $NAME; }

teardown() { leave_nothing stlaunch-controller $N-0 $N-1 $N-2 $N-3 $N-4; }

# submit OPTION... -- COMMAND...: a job of five nodes, or of NODES; its number is in JOB, its output in /home/JOB.out
submit() {
  on $NAME login sh -c 'cat >/home/launch.sbatch' <<END
#!/bin/bash
#SBATCH --nodes=${NODES:-5}
#SBATCH --exclusive
#SBATCH --no-kill
#SBATCH --output=/home/%j.out
#SBATCH --chdir=/home
# Ranks of MPI that wait let others run: all nodes share the processors of this machine.
export OMPI_MCA_mpi_yield_when_idle=1
/opt/slipway/bin/slipway launch $@
echo "status \$?"
END
  JOB=$(on $NAME login sbatch --parsable /home/launch.sbatch)
}

output() { on $NAME login cat "/home/$JOB.out"; }
has_said() { output 2>/dev/null | grep -q -- "$1"; }
ledger() { on $NAME login sh -c "cd /home; /opt/slipway/bin/slipway ledger $JOB $*"; }
at_step() { [ "$(on $NAME login cat "/home/saved-$JOB" 2>/dev/null || echo 0)" -ge "$1" ]; }

ended() {
  wait_for has_said "^status $1\$"
  run output
}

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

@test "launch: ranks of an MPI program find each other, on some of the nodes and with several on each" {
  submit --spares 1 --ntasks-per-node 2 -- /opt/slipway/bin/all_reduce_perf --backend mpi -b 1K -e 1K
  ended 0
  [ "$(grep -cE '^#  Rank +[0-7] .* on '"$N-[0-3] " <<<"$output")" -eq 8 ]
  says "# Out of bounds values : 0 OK"
  # Without the data that a fence collects, each rank requests what it needs.
  submit -- env OMPI_MCA_pmix_base_async_modex=1 OMPI_MCA_pmix_base_collect_data=0 /opt/slipway/bin/all_reduce_perf --backend mpi -b 1K -e 1K
  ended 0
  says "# Out of bounds values : 0 OK"
}

@test "launch: an MPI program whose rank is killed restarts on a spare, and leaves nothing over" {
  submit --spares 1 --ntasks-per-node 2 -- sh -c "'exec /opt/slipway/bin/all_reduce_perf --backend mpi -b 1K -e 1K -n \$((SLIPWAY_RESTART_COUNT ? 10 : 10000000))'"
  wait_for has_said '^#  Rank  7 '
  on $NAME $N-2 pkill -KILL -o -f 'all_reduce_perf --backend'
  ended 0
  says "on $N-2 was killed by signal 9"
  says "attempt 2 on 4 nodes, 1 spare"
  [ "$(grep -cE '^#  Rank +[0-7] ' <<<"$output")" -eq 16 ]
  grep -qE "^#  Rank  [0-7] .* on $N-4 " <<<"$output"
  says "# Out of bounds values : 0 OK"
  local node
  for node in $N-0 $N-2; do
    nothing() { ! on $NAME "$node" sh -c 'ls -d /tmp/slipway-* /dev/shm/vader_segment* /dev/shm/sm_segment* || pgrep slipway-pmix' 2>/dev/null; }
    wait_for nothing
  done
}

@test "launch: a rank that calls MPI_Abort has failed, even with status 0" {
  cat >"$BATS_TEST_TMPDIR/abort.c" <<'END'
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 3 && atoi(getenv("SLIPWAY_RESTART_COUNT")) == 0) MPI_Abort(MPI_COMM_WORLD, 0);
  if (atoi(getenv("SLIPWAY_RESTART_COUNT")) == 0) sleep(1000);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
END
  mpicc -o "$BATS_TEST_TMPDIR/abort" "$BATS_TEST_TMPDIR/abort.c"
  write_program /home/abort <"$BATS_TEST_TMPDIR/abort"
  submit -- ./abort
  ended 0
  # Open MPI 5 does not write the reason itself, but asks the PMIx server to log it.
  says "rank 3 on $N-3 exited with status 1: MPI_ABORT was invoked on rank 3"
  says "attempt 2 on 5 nodes"
}

@test "launch: what a rank logs through PMIx is its output, and why it failed" {
  cat >"$BATS_TEST_TMPDIR/log.c" <<'END'
#include <pmix.h>
#include <string.h>
int main(void) {
  pmix_proc_t self;
  pmix_info_t entry;
  int status;
  if (PMIx_Init(&self, NULL, 0) != PMIX_SUCCESS) return 2;
  memset(&entry, 0, sizeof entry);
  strcpy(entry.key, self.rank == 0 ? PMIX_LOG_STDOUT : PMIX_LOG_STDERR);
  entry.value.type = PMIX_STRING;
  entry.value.data.string = self.rank == 0 ? "all is well\n" : "RuntimeError: out of ideas\n";
  status = PMIx_Log(&entry, 1, NULL, 0);
  PMIx_Finalize(NULL, 0);
  return status == PMIX_SUCCESS || status == PMIX_OPERATION_SUCCEEDED ? (self.rank == 2 ? 93 : 0) : 3;
}
END
  # shellcheck disable=SC2046  # words
  cc -o "$BATS_TEST_TMPDIR/log" "$BATS_TEST_TMPDIR/log.c" $(pkg-config --cflags --libs pmix)
  write_program /home/log <"$BATS_TEST_TMPDIR/log"
  submit -- ./log
  ended 93
  says "all is well"
  says "rank 2 on $N-2 exited with status 93: RuntimeError: out of ideas"
}

@test "launch: without PMIx everything else runs, and none of its variables is set" {
  submit --mpi none -- sh -c "'! env | grep ^PMIX_'"
  ended 0
  local folder
  folder=$(on $NAME $N-1 sh -c "dirname \"\$(readlink -f /usr/lib/*/libpmix.so.2)\"")
  on $NAME $N-1 mount -t tmpfs none "$folder"
  submit -- sh -c "'hostname; env | grep ^PMIX_RANK; exit 0'"
  ended 0
  on $NAME $N-1 umount "$folder"
  [ "$(grep -c "^$N-[0-4]\$" <<<"$output")" -eq 5 ]
  [ "$(grep -c ^PMIX_RANK= <<<"$output")" -eq 4 ]
}

@test "launch: tasks share a key by which ranks find each other, but do not get the launcher's" {
  submit -- sh -c "'echo key \$(printf %s \$SLIPWAY_RUN_KEY | sha256sum); ! env | grep ^SLIPWAY_LAUNCH && exec /opt/slipway/bin/all_reduce_perf --backend tcp -b 1K -e 1K'"
  ended 0
  says "# Out of bounds values : 0 OK"
  [ "$(grep -c '^key ' <<<"$output")" -eq 5 ]
  [ "$(grep '^key ' <<<"$output" | sort -u | wc -l)" -eq 1 ]
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

@test "launch: a node whose GPU is broken is blamed, while its tasks run and after one has ended" {
  submit --spares 2 -- ./count.sh 150
  wait_for at_step 5
  slipway fault $NAME $N-1 gpu-xid 3 79
  wait_for has_said "attempt 1: health, blamed: $N-1"
  wait_for has_said "$N-1: NVML: Xid 79 of GPU 0000:07:00.0"
  wait_for has_said "attempt 2 on 3 nodes, 1 spare"
  slipway fault $NAME $N-2 gpu-lost 3
  on $NAME $N-2 pkill -KILL -f count.sh
  wait_for has_said "attempt 2: health, blamed: $N-2"
  wait_for has_said "$N-2: gpu_count GPU 3: GPU is lost"
  ended 0
  local node
  for node in $N-1 $N-2; do
    slipway fault $NAME "$node" clear
    on $NAME "$node" /opt/slipway/bin/slipway health clear
    back() { on $NAME "$node" /opt/slipway/bin/slipway health --stage periodic --act >/dev/null && node_is "$node" idle; }
    wait_for back
  done
}

@test "launch: a node where failures begin twice in a row is left out but not blamed" {
  submit --min-nodes 4 -- sh -c "'[ \$(hostname) != $N-2 ] || { sleep 0.3; kill -9 \$\$; }; [ \$SLIPWAY_RESTART_COUNT = 2 ] || sleep 1000'"
  ended 0
  says "attempt 2: signal, blamed: unknown"
  says "the last 2 failures began on $N-2, with different ranks: 1 in 5 by chance"
  says "attempt 3 on 4 nodes, 1 spare"
  ledger --json | grep -q '"blamed_nodes": \[\]'
}

@test "launch: a node whose task reports it as broken is blamed, and its history gets a note" {
  submit --min-nodes 4 -- sh -c "'[ \$(hostname) != $N-2 ] || { echo RuntimeError: CUDA error: uncorrectable ECC error encountered >&2; exit 1; }; [ \$SLIPWAY_RESTART_COUNT = 1 ] || sleep 1000'"
  ended 0
  says "attempt 1: task report, blamed: $N-2"
  says "attempt 2 on 4 nodes, 0 spares"
  local said="blamed by job $JOB of user [0-9]* since attempt 1: a program reported that part of the node is broken"
  # After the job the node is checked.
  noted() { slipway health report $NAME | grep -q "^$N-2 *note *reports *node *$said"; }
  wait_for noted
  run slipway health report $NAME
  [ "$(grep -c " reports " <<<"$output")" -eq "$(grep -c "^$N-[12] .* reports " <<<"$output")" ]
  on $NAME $N-2 grep -q '"node-reported|node"' /var/lib/slipway/health/history.json
  on $NAME $N-2 sh -c "! cat /run/slipway/reports/* | tr -d '\\0' | grep ."
  wait_for node_is $N-2 idle
  # The note stays with the node, which still serves.
  on $NAME $N-2 /opt/slipway/bin/slipway health --stage periodic --act
  noted
  node_is $N-2 idle
}

@test "launch: a program named like an Xid blames no node" {
  submit --spares 1 -- ./count.sh 60
  wait_for at_step 5
  crash_as_a_user $N-1 'NVRM: Xid (PCI:' 'x): 79, y'
  crash_as_a_user $N-1 'NVRM: Xid (PCI:' '0000:07:00): 79, pid=1'
  ended 0
  lacks blamed
  lacks "attempt 2"
  # Its last output is not the kernel's either.
  lacks NVRM
}

@test "launch: users can leave a report about a node, and take no space for it from others, whatever they do" {
  local folder=/run/slipway/reports user
  as_user() {
    local user=$1
    shift
    on $NAME $N-4 setpriv --reuid "$user" --regid "$user" --clear-groups "$@"
  }
  # A user who has had a job on the node has a place of one page there.
  for user in 65534 1; do
    on $NAME login setpriv --reuid "$user" --regid "$user" --clear-groups srun --nodelist=$N-4 --chdir=/ true
  done
  local there
  there=$(on $NAME $N-4 ls $folder)
  [ "$(wc -l <<<"$there")" -eq 64 ]
  grep -qx 65534 <<<"$there"
  run as_user 65534 ls $folder
  [ "$status" -ne 0 ]
  local attack
  for attack in "mkdir $folder/a" "touch $folder/a" "ln -s /etc/munge/munge.key $folder/a" "rm $folder/65534" "mv $folder/65534 $folder/a" \
    "ln $folder/65534 $folder/a" "cat $folder/1" "cat $folder/free-63" "head -c 1M /dev/zero >>$folder/65534"; do
    run as_user 65534 sh -c "$attack"
    [ "$status" -ne 0 ] || { echo "possible: $attack" >&2 && return 1; }
  done
  [ "$(on $NAME $N-4 ls $folder)" = "$there" ]
  # The other user still has his space, and his leftovers are found.
  as_user 65534 sh -c "printf '%4096s' x >$folder/65534"
  as_user 1 sh -c "printf '%s' '{\"schema\": \"slipway/node-report/1\", \"job\": \"7\", \"attempt\": 1, \"cause\": \"held\", \"detail\": \"\"}' 1<>$folder/1"
  # A check that finds another one running keeps nothing.
  taken() {
    on $NAME $N-4 /opt/slipway/bin/slipway health --stage periodic --act
    slipway health report $NAME | grep -q "^$N-4 .* reports .*blamed by job 7 of user 1"
  }
  wait_for taken
  [ "$(slipway health report $NAME | grep -c "^$N-4 .* reports ")" -eq 1 ]
  on $NAME $N-4 sh -c "! tr -d '\\0' <$folder/65534 | grep ."
  on $NAME $N-4 /opt/slipway/bin/slipway health clear
}

# Last, because it takes the nodes.
@test "launch: nodes without power, frozen or unreachable are left out; with too few nodes the job is requeued" {
  NODES=2-5 submit --spares 1 --min-nodes 3 --heartbeat 2 -- ./count.sh 1000
  wait_for at_step 5
  slipway fault $NAME $N-3 power-off
  wait_for has_said "attempt 2 on 4 nodes, 0 spares"
  wait_for has_said "node gone, blamed: $N-3"
  slipway fault $NAME $N-1 hang
  wait_for has_said "attempt 3 on 3 nodes"
  wait_for has_said "node gone, blamed: $N-1"
  slipway fault $NAME $N-2 link-down enp0s12
  wait_for has_said "2 good nodes left, 3 needed" || { output && false; }
  # It is requeued once Slurm has also noticed the nodes; whether that will happen is reported at once.
  excluded() { on $NAME login scontrol show job "$JOB" | grep -q "ExcNodeList=$N-1,$N-2,$N-3"; }
  wait_for excluded || { on $NAME login scontrol show job "$JOB"; output; false; }
  run on $NAME login scontrol show job "$JOB"
  says "Requeue=1 Restarts=1"
  says "Comment=slipway launch: node gone: $N-2: no heartbeat for 2 s"
  run ledger
  says "requeued"
  says "GPU energy at least 0.0"
  says "$N-3: node gone in attempt 1"
  says "$N-1: node gone in attempt 2"
  on $NAME login scancel "$JOB"
}
