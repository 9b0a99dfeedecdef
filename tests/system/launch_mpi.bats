# `slipway launch`: ranks that find each other through PMIx, MPI or the job's own key, on a real Slurm.

# bats file_tags=long
load helper

NAME=st-ranks
N=stranks-a3meganodeset

load launch_helper

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
    nothing() { ! on $NAME "$node" sh -c 'ls -d /tmp/slipway-* /dev/shm/slipway-* /dev/shm/vader_segment* /dev/shm/sm_segment* || pgrep slipway-pmix' 2>/dev/null; }
    wait_for nothing
  done
}

@test "launch: an MPI program restarts after a node died, also where Slurm has emptied the job's /tmp for that" {
  submit --spares 1 --ntasks-per-node 2 -- sh -c "'exec /opt/slipway/bin/all_reduce_perf --backend mpi -b 1K -e 1K -n \$((SLIPWAY_RESTART_COUNT ? 10 : 10000000))'"
  wait_for has_said '^#  Rank  7 '
  on $NAME controller scontrol update nodename=$N-4 state=down reason=dead
  # Slurm 22.05 ends the step `extern` on all nodes of the job, and with it what the job has in /tmp; 24.11 on the dead one.
  is_emptied() { ! on $NAME $N-2 sh -c "ls -d /var/lib/slipway/jobs/*/$JOB" 2>/dev/null; }
  if dpkg --compare-versions "$(on $NAME controller slurmctld -V | cut -d " " -f 2)" lt 24.11; then
    wait_for is_emptied
  fi
  on $NAME $N-2 pkill -KILL -o -f 'all_reduce_perf --backend'
  ended 0
  says "on $N-2 was killed by signal 9"
  says "attempt 2 on "
  says "# Out of bounds values : 0 OK"
  # It comes back by itself once it answers.
  wait_for node_is $N-4 idle
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

# bats test_tags=thorough
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
