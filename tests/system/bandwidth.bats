# The bandwidth tests on a cluster: the scripts that users copy, the scan, and a rank that dies.

load helper
load container_helper

NAME=st-bandwidth
N=stbandwidt-a3meganodeset

setup_file() { deploy $NAME --nodes a3mega_nodeset=6; }

teardown_file() { slipway destroy $NAME; }

small="-b 256K -e 1M -f 4 -n 2 --samples 6"

@test "bandwidth: the ladder runs its jobs one after another, and skips steps that do not fit" {
  run on $NAME login sh -c "cd /home; BANDWIDTH_SIZES='$small' LADDER_POLL_SECONDS=0.2 \
    /opt/slipway/share/slipway/examples/bandwidth/ladder.sh cpu.sbatch 2 4 32"
  # On a busy machine a healthy cluster may be judged slow: the status must match the verdicts, whatever they are.
  local collective failed=0
  if grep -qE "  fail$" <<<"$output"; then failed=1; fi
  fails_with $failed "32  skipped: the partition a3mega has 6 nodes"
  for collective in all_gather all_reduce; do
    [ "$(grep -cE "^ +[24]  $collective +1048576 +[0-9.]+  (pass|fail|too noisy to say)$" <<<"$output")" -eq 2 ]
  done
}

@test "bandwidth: the ladder climbs to the whole partition by itself" {
  # It asks for sizes that are measured in no time: this test is about the steps.
  run on $NAME login sh -c "cd /home; BANDWIDTH_SIZES='-b 256K -e 256K -n 1' LADDER_POLL_SECONDS=0.2 \
    /opt/slipway/share/slipway/examples/bandwidth/ladder.sh"
  [ "$status" -eq 0 ] || { echo "$output" && false; }
  [ "$(grep -oE '^[0-9]+ nodes: job' <<<"$output" | tr -dc '0-9\n' | xargs)" = "2 4 6" ]
  [ "$(grep -cE '^ +(2|4|6)  all_(gather|reduce) ' <<<"$output")" -eq 6 ]
}

# run_nccl_tests SETTINGS: submits the script in /home with these variables, and prints its output
run_nccl_tests() {
  # The environment that a machine's profile script would set; srun gives it to the ranks.
  on $NAME login sh -c 'echo "export NCCL_FASTRAK_CTRL_DEV=enp0s12 NCCL_SOCKET_IFNAME=enp0s12 NCCL_TESTS_SPLIT_MASK=0x0" >/home/nccl-env.sh'
  on $NAME login sh -c "cd /home; rm -f run-nccl-tests_*; NCCL_ENV_SCRIPT=/home/nccl-env.sh BANDWIDTH_SIZES='-b 256K -e 1M -f 2 -w 1 --iters 2' $1 \
    sbatch --wait --ntasks-per-node=1 /opt/slipway/share/slipway/examples/bandwidth/run-nccl-tests.sbatch; status=\$?; cat run-nccl-tests_*.out; exit \$status"
}

# two_ranks_measured: in both of them
two_ranks_measured() {
  [ "$status" -eq 0 ] || { echo "$output" && false; }
  # srun -l puts the task's number before each line.
  [ "$(grep -cE '^0: #  Rank +[01] ' <<<"$output")" -eq 2 ]
  says "0: # Out of bounds values : 0 OK"
  [ "$(grep -cE '^0: # Verdict: ' <<<"$output")" -eq 1 ]
  on $NAME login sh -c 'cat /home/run-nccl-tests_*.json' | grep -q '"NCCL_SOCKET_IFNAME": "enp0s12"'
}

@test "bandwidth: a script in the shape of Google's run-nccl-tests.sh, with --mpi=pmi2 and a sourced environment" {
  run run_nccl_tests ""
  two_ranks_measured
}

@test "bandwidth: the same script in an image beside it, which has no library of the programs and sets NCCL's variables" {
  put_image pytorch.sqsh --env NCCL_SOCKET_IFNAME=image0 --env NCCL_CROSS_NIC=2 --env LD_LIBRARY_PATH=/usr/local/nvidia/lib
  run run_nccl_tests CONTAINER_IMAGE=./pytorch.sqsh
  two_ranks_measured
  on $NAME login sh -c 'cat /home/run-nccl-tests_*.json' | grep -q '"NCCL_CROSS_NIC": "2"'
  run on $NAME login sh -c 'ls /home'
  lacks libraries
  run run_nccl_tests CONTAINER_IMAGE=./nowhere.sqsh
  [ "$status" -ne 0 ]
  [[ "$output" == *"container: cannot open the image \`/home/nowhere.sqsh\`: No such file"* ]]
}

@test "bandwidth: mpirun in an allocation of several nodes, as in nccl-tests' README" {
  local allowed="OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1"
  # shellcheck disable=SC2086  # words
  run on $NAME login salloc --nodes=2 --ntasks-per-node=2 --overcommit env $allowed \
    mpirun --oversubscribe -np 4 -N 2 /opt/slipway/bin/all_reduce_perf_mpi -b 8 -e 64K -f 16 -g 1
  [ "$status" -eq 0 ] || { echo "$output" && false; }
  [ "$(grep -cE '^#  Rank +[0-3] ' <<<"$output")" -eq 4 ]
  [ "$(sed -n 's/^#  Rank .* on *\([^ ]*\) device.*/\1/p' <<<"$output" | sort -u | wc -l)" -eq 2 ]
  says "# Out of bounds values : 0 OK"
  # Without MPI's own collectives, and with several ranks of a process, ranks find each other through MPI.
  # shellcheck disable=SC2086
  run on $NAME login salloc --nodes=2 --ntasks-per-node=1 env $allowed \
    mpirun -np 2 -N 1 /opt/slipway/bin/hypercube_perf --backend tcp -b 1K -e 64K -f 8 -g 2
  [ "$status" -eq 0 ] || { echo "$output" && false; }
  [ "$(grep -cE '^#  Rank +[0-3] ' <<<"$output")" -eq 4 ]
  says "# Out of bounds values : 0 OK"
}

@test "bandwidth: Slurm accepts the scripts for GPU machines" {
  local script
  for script in a3-highgpu a3-megagpu a3-ultragpu a4-highgpu a4x-highgpu run-nccl-tests scan; do
    run on $NAME login sbatch --test-only "/opt/slipway/share/slipway/examples/bandwidth/$script.sbatch"
    [ "$status" -eq 0 ] || { echo "$output" && false; }
  done
}

@test "bandwidth: compares reports of two runs, unless their numbers of nodes differ" {
  on $NAME login sh -c 'ls -tr /home/cpu_all_gather_*.json' >"$BATS_TEST_TMPDIR/reports"
  local reports
  mapfile -t reports <"$BATS_TEST_TMPDIR/reports"
  run on $NAME login /opt/slipway/bin/bandwidth_compare "${reports[0]}" "${reports[0]}"
  [ "$status" -eq 0 ]
  says "no evidence (+0.0 %, 95 % interval"
  run on $NAME login /opt/slipway/bin/bandwidth_compare "${reports[0]}" "${reports[1]}"
  fails_with 3 "number of nodes: 2 and 4"
  run on $NAME login /opt/slipway/bin/bandwidth_compare --figures "${reports[0]}"
  [ "$status" -eq 0 ]
  says "# Verdict: not judged (no report has an expected figure)"
  on $NAME login /opt/slipway/bin/bandwidth_plot "${reports[0]}" | grep -q '^</svg>$'
  on $NAME login cat "${reports[0]}" >"$BATS_TEST_TMPDIR/report.json"
  python3 "$TOP/tests/schemas/validate.py" "$TOP/docs/schemas/bandwidth-1.schema.json" "$BATS_TEST_TMPDIR/report.json"
  grep -q '"transport": "tcp enp0s12"' "$BATS_TEST_TMPDIR/report.json"
}

@test "bandwidth: measures two commands in pairs and keeps their reports" {
  local test="srun --nodes=2 --ntasks-per-node=1 --mpi=none /opt/slipway/bin/all_gather_perf -b 64K -e 64K -n 2"
  run on $NAME login /opt/slipway/bin/bandwidth_compare --runs 1 --allow 1000 --keep /home/pairs --run "$test" --run "$test -z 1"
  # Two iterations on a busy machine may differ by any factor: the status must match the count, whatever it is.
  grep -qxF "all_gather, 1 old run and 1 new run" <<<"$output" || { echo "$output" && false; }
  case $output in
  *"0 of 2 slower by more than 1000 %"*) [ "$status" -eq 0 ] ;;
  *[12]" of 2 slower by more than 1000 %"*) [ "$status" -eq 1 ] ;;
  *) echo "$output" && false ;;
  esac
  on $NAME login test -s /home/pairs/before-01.json -a -s /home/pairs/after-01.json
}

# too_noisy: the last scan could not judge because the machine is busy. Then it says nothing about any node.
too_noisy() {
  grep -q "^too noisy: " <<<"$output" || return 1
  if [ "$status" -ne 3 ] || grep -qE "^(node|link|block): |scontrol" <<<"$output"; then echo "$output" && exit 1; fi
}

@test "bandwidth: the scan finds the node with the slow interface, says which one it is, and drains none" {
  slipway fault $NAME $N-4 link-rate enp0s12 50mbit
  run on $NAME login srun --nodes=6 --mpi=none /opt/slipway/bin/bandwidth_scan -b 512K -n 1 --precision 0 --samples 15 \
    --detect 80 --level node --state /home/scan.json
  slipway fault $NAME $N-4 clear
  if too_noisy; then return; fi
  fails_with 1 "node: $N-4: "
  fails_with 1 "scontrol update NodeName=$N-4 State=DRAIN Reason=\"bandwidth scan: "
  [ "$(grep -c '^node: ' <<<"$output")" -eq 1 ]
  # The node's other interfaces are not blamed.
  fails_with 1 "  $N-4: interface enp0s12 sends "
  [ "$(grep -c "^  $N-4: interface " <<<"$output")" -eq "$(grep -c "^  $N-4: interface enp0s12 " <<<"$output")" ]
  fails_with 1 "  $N-4: not asked: GPUs (no GPU: "
  [ -z "$(on $NAME login sinfo --noheader --states=drain --format=%N)" ]
  on $NAME login cat /home/scan.json >"$BATS_TEST_TMPDIR/scan.json"
  python3 "$TOP/tests/schemas/validate.py" "$TOP/docs/schemas/scan-1.schema.json" "$BATS_TEST_TMPDIR/scan.json"
}

# bats test_tags=thorough
@test "bandwidth: the scan says that an interface is slow in one direction only, and which" {
  # Only what the node sends is limited; `slipway fault` limits both directions.
  on $NAME $N-3 /sbin/tc qdisc replace dev enp0s12 root tbf rate 5mbit burst 16kb latency 50ms
  run on $NAME login srun --nodes=6 --mpi=none /opt/slipway/bin/bandwidth_scan -b 512K -n 2 --precision 0 --samples 3 \
    --detect 95 --level node
  on $NAME $N-3 /sbin/tc qdisc delete dev enp0s12 root
  if too_noisy; then return; fi
  fails_with 1 "node: $N-3: "
  fails_with 1 "  $N-3: interface enp0s12 sends "
  fails_with 1 "; only this direction is slow: it receives "
  [ "$(grep -c "^  $N-3: interface enp0s12 " <<<"$output")" -eq 1 ]
}

@test "bandwidth: a killed rank is named, and no other is left" {
  on $NAME login sh -c 'srun --nodes=3 --mpi=none /opt/slipway/bin/all_reduce_perf -b 1M -e 1M -w 0 -N 0 >/home/run.out 2>&1;
    echo "status $?" >>/home/run.out' &
  rows() { on $NAME login grep -qE '^ +1048576 ' /home/run.out; }
  wait_for rows
  local host
  host=$(on $NAME login sed -n 's/^#  Rank  2 .* on *\([^ ]*\) device.*/\1/p' /home/run.out)
  on $NAME "$host" pkill -KILL -f all_reduce_perf
  wait
  run on $NAME login cat /home/run.out
  says "all_reduce_perf: rank 2 on $host has gone; its last phase was: all_reduce of 1048576 bytes"
  lacks '^status 0'
  local node
  for node in $(compute_nodes $NAME); do
    run on $NAME "$node" pgrep -f all_reduce_perf
    [ "$status" -eq 1 ]
  done
}
