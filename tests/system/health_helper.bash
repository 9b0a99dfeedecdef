# Shared by tests of node_health, about the deployment NAME.

# slurm_checks_every SECONDS: how often HealthCheckProgram runs; 0: never, from then on
slurm_checks_every() {
  sed -i "s/^HealthCheckInterval=.*/HealthCheckInterval=$1/" "$(deployments_folder)/$NAME/slurm/slurm.conf"
  on $NAME controller /opt/slipway/bin/slipway node restart slurmctld
  on $NAME controller scontrol reconfigure
}

fault() { slipway fault $NAME "$@"; }

# look NODE [option...]: as Slurm does between jobs
look() {
  local node=$1
  shift
  on $NAME "$node" /opt/slipway/bin/slipway health --stage periodic --act "$@"
}

reason_of() { on $NAME controller sinfo --noheader --Node --nodes="$1" --format='%E'; }

# serves_again NODE: after two checks in a row. The first may come too early on a node that has just booted, and slurmd may
# drain the node after the second.
serves_again() {
  is_in_service() { look "$1" && look "$1" && node_is "$1" idle; }
  wait_for is_in_service "$1" || { on "$NAME" login scontrol show node "$1" && false; }
}

# is_held_back JOB: it is requeued, and Slurm lets it wait for a while
is_held_back() { [ "$(on $NAME login scontrol show job "$1" | grep -cE 'JobState=PENDING|Restarts=[1-9]')" -eq 2 ]; }

# begin_now JOB: starts a held job, but not in the same second in which the node learned that it had ended
begin_now() {
  sleep 2
  on $NAME login scontrol update "jobid=$1" starttime=now
}

# job_is_moved_from NODE: a job that starts there is rejected by its prolog and runs on another node
job_is_moved_from() {
  local job
  job=$(on $NAME login sbatch --parsable --nodes=1 --output=/home/moved.out --wrap 'hostname')
  is_held() { is_held_back "$job"; }
  wait_for is_held
  begin_now "$job"
  wait_for on $NAME login grep -q . /home/moved.out
  [ "$(on $NAME login cat /home/moved.out)" != "$1" ]
}

# crash_as_a_user NODE NAME FILE: an ordinary user's program, named NAME, in a file named FILE, writes to address 0
# there. The kernel's records of it are in the log of NODE, and in RECORDS.
crash_as_a_user() {
  local node=$1 name=$2 file=$3
  gcc -x c -o "$BATS_TEST_TMPDIR/crash" - <<'END'
#include <sys/prctl.h>
int main(int argc, char** argv) {
  if (argc < 2) return 2;
  prctl(PR_SET_NAME, argv[1]);
  *(volatile int*)0 = 1;
  return 0;
}
END
  on $NAME "$node" sh -c 'mkdir -p /tmp/crash; cat >"/tmp/crash/$1"; chmod -R 755 /tmp/crash' sh "$file" <"$BATS_TEST_TMPDIR/crash"
  slipway exec $NAME "$node" --user nobody -- sh -c '"/tmp/crash/$1" "$2"; test $? -eq 139' sh "$file" "$name"
  # All nodes share one kernel, whose log only the machine's own root can read, or everybody (kernel.dmesg_restrict).
  has_crashed() {
    RECORDS=$(python3 "$BATS_TEST_DIRNAME/kernel_records.py" "${name}[")
    [ -n "$RECORDS" ]
  }
  if (: </dev/kmsg) 2>/dev/null; then
    wait_for has_crashed
  else # as Linux 6.18 has written it
    RECORDS="6,51502,29977289197,-;${name:0:15}[22186]: segfault at 0 ip 000055a8da64f16a sp 00007ffc15949320 error 6 in"
    RECORDS+=" $file[116a,55a8da64f000+1000] likely on CPU 1 (core 1, socket 0)"
  fi
  # With the next numbers of the node's own log.
  local log
  log=$(deployments_folder)/$NAME/gpus/$node/kmsg
  RECORDS=$(awk -F, -v OFS=, -v next_one="$(wc -l <"$log")" '{ $2 = next_one++; print }' <<<"$RECORDS")
  cat >>"$log" <<<"$RECORDS"
}

# begin_and_forget [option of sbatch...]: JOB is a job that began and that slurmctld has forgotten, because it was
# killed before it saved that. Its first run is over, and it may start again: slurmd refuses that earlier, and slurmctld
# takes a late end of the first run for that of the second. Tries another job if slurmctld was faster.
begin_and_forget() {
  local tries
  for tries in 1 2 3; do
    JOB=$(on $NAME login sbatch --parsable --begin=now+1hour --open-mode=append --output=/home/forgotten-%j "$@" --wrap '
      srun sh -c "echo mine >/tmp/mine"; echo begun >>/home/begun-$SLURM_JOB_ID
      while [ ! -e /home/go-$SLURM_JOB_ID ]; do sleep 0.1; done; srun cat /tmp/mine; echo end')
    write_down "$JOB"
    on $NAME login scontrol update "jobid=$JOB" starttime=now
    wait_for on $NAME login test -e "/home/begun-$JOB"
    on $NAME controller pkill -KILL -x slurmctld
    is_known() { on $NAME controller timeout 2 squeue --noheader --jobs="$JOB" >/dev/null 2>&1; }
    wait_for is_known
    for _ in $(seq 50); do
      if on $NAME controller grep -q "Registered PENDING JobId=$JOB " /var/log/slurm/slurmctld.log; then
        wait_for first_run_is_over
        has_begun_again || begin_now "$JOB"
        return
      fi
      sleep 0.2
    done
    on $NAME login scancel "$JOB"
  done
  echo "slurmctld has written each job down" && return 1
}

has_begun_again() { [ "$(on $NAME login grep -c begun "/home/begun-$JOB")" -ge 2 ]; }

# first_run_is_over: on all nodes; or slurmctld had saved that JOB may start, and has started it again
first_run_is_over() {
  local node
  has_begun_again && return
  for node in $(compute_nodes $NAME); do
    on $NAME "$node" sh -c '! pgrep -f "slurmstepd: \[$1[.]" && ! grep -qsz "^SLURM_JOB_ID=$1$" /proc/[0-9]*/environ' sh "$JOB" || return 1
  done
}

# begins_again: JOB begins again and then may end, and on all of its nodes it has its own /tmp
begins_again() {
  ! is_held_back "$JOB" || begin_now "$JOB"
  # Its first run, which slurmctld ends, must not go on.
  ! has_begun_again || on $NAME login touch "/home/go-$JOB"
  on $NAME login grep -qx end "/home/forgotten-$JOB" &&
    [ "$(on $NAME login grep -cx mine "/home/forgotten-$JOB")" -eq "$(on $NAME controller squeue --noheader --states=all --jobs="$JOB" --format=%D)" ]
}
