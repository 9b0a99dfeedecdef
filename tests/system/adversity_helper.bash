# Random faults of a fake Google Cloud, of its users and of the controller, by a seed: for adversity.bats and
# soak_adversity.bats. When the faults are over, Slurm and the cloud have to agree again.

C=adversity-controller
STEADY=adversity-steady
SPOT=adversity-spot
ALWAYS_ON=("$STEADY-0" "$STEADY-1" "$SPOT-0")
ELASTIC=("$STEADY-2" "$STEADY-3" "$SPOT-1" "$SPOT-2")

adversity_start() {
  cloud_start "$TOP/tests/system/adversity.yaml"
  as_tester touch "$CLOUD/machines-boot"
  machine_start $C
  machine $C touch /etc/slipway/reconcile-by-hand # before it boots: no run of its own gets in the way
  wait_for at_peace_after_a_run
}

# one_of WORD...: a random word, in $one
one_of() {
  local words=("$@")
  one=${words[RANDOM % ${#words[@]}]}
}

slurm() { machine $C "$@" </dev/null >>"$SUITE/faults" 2>&1 || true; }

reconcile() { machine $C /opt/slipway/bin/slipway node reconcile --grace 0 </dev/null >>"$SUITE/faults" 2>&1 || true; }

no_conditions() { as_tester rm -f "$CLOUD/stock.json" "$CLOUD/conditions.json"; }

# conditions FILE JSON
conditions() { as_tester tee "$CLOUD/$1" <<<"$2" >/dev/null; }

# submit: a short job on some nodes, or a longer one on one node
submit() {
  local where=(--nodes=$((1 + RANDOM % 3)))
  if [ $((RANDOM % 3)) -eq 0 ]; then
    one_of "${ALWAYS_ON[@]}" "${ELASTIC[@]}"
    where=(--nodelist="$one")
  fi
  slurm sbatch --chdir=/tmp --output=/dev/null "${where[@]}" --wrap "sleep $((RANDOM % 6))"
}

# fault: does one thing that can go wrong, and notes it
fault() {
  local kind=$((RANDOM % 17)) name other
  one_of "${ALWAYS_ON[@]}" "${ELASTIC[@]}"
  name=$one
  one_of us-central1-a us-central1-b
  other=$one
  echo "fault $kind, $name or $other" >>"$SUITE/faults"
  case $kind in
    0) cloud_control delete "$name" || true ;;
    1) cloud_control status "$name" TERMINATED || true ;;
    2) cloud_control preempt "$name" || true ;;
    3) cloud_control from-template "$STEADY-$((4 + RANDOM % 3))" steady >>"$SUITE/faults" 2>&1 || true ;;
    4) conditions stock.json "{\"us-central1-a\": $((RANDOM % 2)), \"us-central1-b\": $((RANDOM % 2))}" ;;
    5) conditions stock.json "{\"$other\": \"QUOTA_EXCEEDED\"}" ;;
    6)
      one_of 429 503 500
      conditions conditions.json "{\"failures\": [{\"every\": $((2 + RANDOM % 3)), \"status\": $one, \"method\": \".*nstances.*|.*perations.*|.*olicies.*\"}]}"
      ;;
    7) conditions conditions.json "{\"bulk_insert_seconds\": $((RANDOM % 8)), \"delete_seconds\": $((RANDOM % 6)), \"operation_seconds\": 1}" ;;
    8) conditions conditions.json '{"rate_limits": {"default_per_region": 3, "default": 5}, "rate_interval_seconds": 3}' ;;
    9) no_conditions ;;
    10)
      slurm pkill -KILL -x slurmctld
      sleep "0.$((RANDOM % 10))"
      slurm sh -c 'setsid /usr/sbin/slurmctld -D >>/var/log/slurm/slurmctld.out 2>&1 &' # as systemd starts it again
      ;;
    11) slurm pkill -KILL -f "slipway node (resume|suspend)" ;;
    12) slurm timeout -s KILL 0.$((RANDOM % 8 + 1)) /opt/slipway/bin/slipway node reconcile --grace 0 ;;
    13) slurm scontrol update nodename="$name" state=power_down_force ;;
    14) slurm scancel --user=root ;;
    15 | 16) submit ;;
  esac
}

# at_peace: the nodes that are always on are idle, the others have no machine, and no other machine and no policy is there
at_peace() {
  local states machines
  states=$(machine $C sinfo --noheader --Node --format='%N %T' </dev/null 2>/dev/null | sort -u)
  [ "$states" = "$({ printf '%s idle\n' "${ALWAYS_ON[@]}"; printf '%s idle~\n' "${ELASTIC[@]}"; } | sort -u)" ] || return 1
  machines=$(cloud_control machines | grep -v -- -login- | sed 's/ [^ ]* / /' | sort)
  [ "$machines" = "$(printf '%s RUNNING\n' $C "${ALWAYS_ON[@]}" | sort)" ] || return 1
  ! cloud_control left | grep -o 'resourcePolicies/[a-z0-9-]*' | grep -v -- -static-
}

at_peace_after_a_run() {
  reconcile
  at_peace
}

# live_through SEED: some faults with jobs and runs of the reconciler between them, and then peace
live_through() {
  RANDOM=$1
  local i count=$((5 + RANDOM % 8))
  : >"$SUITE/faults"
  submit
  for ((i = 0; i < count; i++)); do
    fault
    case $((RANDOM % 4)) in
      0) reconcile ;;
      1) sleep "$((RANDOM % 3)).$((RANDOM % 10))" ;;
      2) submit ;;
    esac
  done
  no_conditions
  slurm scancel --user=root
  # A start that failed is repeated after a minute, and then after two.
  wait_for at_peace_after_a_run || wait_for at_peace_after_a_run && return
  echo "no peace after seed $1:" && cat "$SUITE/faults"
  machine $C scontrol show node </dev/null | grep -E "NodeName|State=|Reason" || true
  machine $C squeue </dev/null || true
  cloud_control machines
  cloud_control left | grep resourcePolicies || true
  tail -n 40 "$CLOUD/log-of/$C/power.log" || true
  return 1
}
