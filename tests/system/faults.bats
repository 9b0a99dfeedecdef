# Faults of nodes: to Slurm, the kernel or NVML each is like the real one, and ends when it is cleared.

load helper

NAME=st-faults
N=stfaults-a3meganodeset

setup_file() {
  deploy $NAME
  # Slurm notices a missing node after seconds, not after a minute. With 3 s, 24.11 would take nodes for missing between two pings.
  sed -i 's/^SlurmdTimeout=.*/SlurmdTimeout=10/; s/^MessageTimeout=.*/MessageTimeout=2/' "$(deployments_folder)/$NAME/slurm/slurm.conf"
  on $NAME controller scontrol reconfigure
  write_program /home/nvml_probe <"$TOP/build/tests/nvml_probe"
}

teardown_file() { slipway destroy $NAME; }

fault() { slipway fault $NAME "$@"; }

teardown() { leave_nothing $N-0 $N-1 $N-2 $N-3; }

probe() { on $NAME $N-3 /home/nvml_probe "$@"; }

@test "faults: Slurm finds down a node without power, one that hangs, and one without its network" {
  fault $N-0 power-off
  fault $N-1 hang
  fault $N-2 link-down enp0s12
  run on $NAME $N-0 true
  fails_with 1 "node $N-0 is off"
  run on $NAME $N-2 ip -brief link show enp0s12
  says NO-CARRIER
  run slipway status $NAME
  says "$N-0: fault: power-off"
  says "$N-1: fault: hang"
  says "$N-2: fault: link-down enp0s12"
  run slipway status $NAME --detailed-exitcode
  [ "$status" -eq 3 ]
  local i
  for i in 0 1 2; do wait_for node_is $N-$i 'down*'; done
  node_is $N-3 idle
  fault $N-0 clear
  fault $N-1 clear hang
  fault $N-2 clear link-down enp0s12
  run on $NAME $N-2 ip -brief link show enp0s12
  [[ "$output" != *NO-CARRIER* ]]
  wait_for node_is $N-0 idle
  run slipway status $NAME
  [[ "$output" != *"fault:"* ]]
  # A ping of Slurm 24.11 may wait 100 s for a node that hangs before it reaches the others.
  WAIT_SECONDS=240 wait_for slipway status $NAME --detailed-exitcode
}

@test "faults: status --json shows them and matches its schema" {
  fault $N-0 link-rate enp0s12 100mbit
  slipway status $NAME --json >"$BATS_TEST_TMPDIR/status.json"
  python3 "$TOP/tests/schemas/validate.py" "$TOP/docs/schemas/status-1.schema.json" - <"$BATS_TEST_TMPDIR/status.json"
  grep -q '"link-rate enp0s12 100mbit"' "$BATS_TEST_TMPDIR/status.json"
}

@test "faults: a rate-limited interface has a token bucket at both ends, even after the node restarts" {
  run on $NAME $N-0 tc qdisc show dev enp0s12
  says "tbf"
  says "rate 100Mbit"
  fault $N-0 power-off
  fault $N-0 power-on
  run on $NAME $N-0 tc qdisc show dev enp0s12
  says "rate 100Mbit"
  fault $N-0 clear
  run on $NAME $N-0 tc qdisc show dev enp0s12
  [[ "$output" != *tbf* ]]
}

@test "faults: a full disk takes no more bytes, and uses none of this machine's memory" {
  on $NAME $N-0 sh -c 'echo before >/tmp/before'
  fault $N-0 disk-full /tmp
  run on $NAME $N-0 cp /etc/hostname /tmp/after
  [ "$status" -ne 0 ]
  [[ "$output" == *"No space left on device"* ]]
  [ "$(on $NAME $N-0 cat /tmp/before)" = before ]
  fault $N-0 clear disk-full /tmp
  on $NAME $N-0 sh -c 'echo after >/tmp/after; test ! -e /tmp/.slipway-disk-full'
  fault $N-0 disk-full /var/spool/slurmd
  run on $NAME $N-0 cp /etc/hostname /var/spool/slurmd/x
  [ "$status" -ne 0 ]
  fault $N-0 clear
  run fault $N-0 disk-full /etc
  fails_with 1 "/etc is not a file system of this node"
}

@test "faults: a killed daemon stays away until the fault is cleared" {
  fault $N-0 daemon-killed slurmd
  run on $NAME $N-0 pgrep -x slurmd
  [ "$status" -eq 1 ]
  sleep 1.5
  run on $NAME $N-0 pgrep -x slurmd
  [ "$status" -eq 1 ]
  fault $N-0 clear
  wait_for on $NAME $N-0 pgrep -x slurmd
}

@test "faults: a node's NVML has eight different GPUs; a lost GPU and memory errors are visible" {
  run probe
  [ "$status" -eq 0 ]
  [ "$(awk '{ print $2 }' <<<"$output" | sort -u | grep -c '^GPU-')" -eq 8 ]
  [ "$(grep -c ' ecc 0$' <<<"$output")" -eq 8 ]
  fault $N-3 gpu-lost 3
  fault $N-3 gpu-ecc 5 2
  run probe
  says "3 GPU is lost"
  [ "$(grep -c ' ecc 2$' <<<"$output")" -eq 1 ]
  fault $N-3 clear
  run probe
  [ "$(grep -c ' ecc 0$' <<<"$output")" -eq 8 ]
}

@test "faults: a program waiting for NVML events receives an Xid" {
  probe events >"$BATS_TEST_TMPDIR/events" &
  local job=$!
  wait_for grep -q waiting "$BATS_TEST_TMPDIR/events"
  fault $N-3 gpu-xid 3 79
  wait $job
  grep -q "^Xid 79 on $(probe | awk '$1 == 3 { print $2 }')" "$BATS_TEST_TMPDIR/events"
  fault $N-3 clear gpu-xid
}

@test "faults: nvidia-smi runs in a job, and tells of a fault, as dcgmi does" {
  run on $NAME login srun --exclude=$N-3 nvidia-smi -L  # its log has the Xid of the test before
  says "GPU 7: simulated nvidia-h100-mega-80gb (UUID: GPU-"
  fault $N-3 gpu-ecc 2 5
  fault $N-3 gpu-xid 4 79
  run on $NAME $N-3 nvidia-smi --query-gpu=index,ecc.errors.uncorrected.volatile.total --format=csv,noheader
  says "2, 5"
  says "7, 0"
  run on $NAME $N-3 dcgmi diag -r 2
  fails_with 205 "GPU2: Fail"
  fails_with 205 "Detected XID 79 for GPU 4"
  fault $N-3 clear gpu-ecc
  fault $N-3 clear gpu-xid
  run on $NAME $N-3 dcgmi diag -r 2
  [ "$status" -eq 0 ]
}

@test "faults: an NVML that hangs blocks its callers until the fault is cleared" {
  fault $N-3 nvml-hang
  run on $NAME $N-3 timeout 1 /home/nvml_probe
  [ "$status" -eq 124 ]
  fault $N-3 clear nvml-hang
  run probe
  [ "$status" -eq 0 ]
}

@test "faults: an impossible fault is reported and not recorded" {
  run fault $N-0 link-down eth7
  fails_with 1 "node $N-0 has no interface \`eth7\`; it has enp0s12"
  run fault login gpu-lost 0
  fails_with 1 "has no GPU"
  run fault controller power-off
  fails_with 1 "the controller cannot be powered off"
  run fault $N-0 powr-off
  fails_with 2 "did you mean \`power-off\`?"
  run fault $N-0 clear
  fails_with 1 "node $N-0 has no fault"
}

@test "faults: status --watch draws in place on a terminal and restores it" {
  local command screen=$BATS_TEST_TMPDIR/screen
  command=$(declare -f as_tester slipway)"; stty rows 20 cols 70; slipway status $NAME --watch --interval 0.1"
  {
    wait_for grep -q "$N-3" "$screen"
    kill -INT "$(client "status $NAME --watch")"
  } 2>/dev/null 3>&- &
  script --quiet --flush --command "$command" "$screen" >/dev/null
  [[ "$(cat "$screen")" == *$'\e[?1049h'*"$NAME: running"*"$N-3"*$'\e[?1049l'* ]]
}

@test "faults: status --watch without a terminal prints repeatedly" {
  slipway status $NAME --watch --interval 0.1 >"$BATS_TEST_TMPDIR/watched" &
  twice() { [ "$(grep -c "deployment $NAME: running" "$BATS_TEST_TMPDIR/watched")" -ge 2 ]; }
  wait_for twice
  kill "$(client "status $NAME --watch")"
  wait
  refuse grep -q $'\e' "$BATS_TEST_TMPDIR/watched"
}

# Last, because Slurm checks nodes that were down only a quarter of a minute later.
@test "faults: nodes that hung or had no network serve again when the fault is cleared" {
  wait_for node_is $N-1 idle
  wait_for node_is $N-2 idle
}
