# Interrupting `slipway deploy` and `destroy` at each of their points (launcher/local/checkpoint.h).

# own PID...: those of the program that is tested; what else of slipway's runs on this machine is not ours to kill
own() {
  local process
  for process in "$@"; do
    case $(readlink "/proc/$process/exe") in "$SUITE"/*) echo "$process" ;; esac
  done
}

# clients: the commands that run
clients() { own $(pgrep -x slipway); }

# stopped_process: the one of slipway's that has stopped itself at its point
stopped_process() { own $(ps -eo pid=,stat=,comm= | awk '$2 ~ /^T/ && $3 ~ /^slipway/ { print $1 }') | head -n 1 | grep .; }

# run_to_point N ARGUMENT...: runs slipway until it, or the supervisor's process that makes the change, has reached its
# point N; JOB is the command then, CLIENT its process, STOPPED the one that has stopped. Fails when it has no point N.
run_to_point() {
  local point=$1
  shift
  set -m # or a shell has its background commands ignore SIGINT
  SLIPWAY_TEST_STOP_AT=$point slipway "$@" >"$BATS_TEST_TMPDIR/out" 2>&1 3>&- &
  JOB=$!
  set +m
  stopped_or_ended() { STOPPED=$(stopped_process) || ! kill -0 "$JOB" 2>/dev/null; }
  wait_for stopped_or_ended
  [ -n "$STOPPED" ] || { wait "$JOB" && return 1; }
  CLIENT=$(clients | head -n 1)
}

# interrupt_at N SIGNAL WHOM ARGUMENT...: runs slipway to its point N, sends the signal to it (WHOM is client), or to
# the process that has stopped (WHOM is stopped), and lets that go on. Fails when it has no point N.
interrupt_at() {
  local point=$1 signal=$2 whom=$3
  shift 3
  run_to_point "$point" "$@" || return 1
  if [ "$whom" = client ]; then kill "-$signal" "$CLIENT"; else kill "-$signal" "$STOPPED"; fi
  kill -CONT "$STOPPED" 2>/dev/null || true
  # runuser stops with its child, and does not go on by itself.
  kill -CONT -- "-$JOB" 2>/dev/null || true
  wait "$JOB" 2>/dev/null || true
}

# deploy_nodes NAME N: the quickstart with so many compute nodes
deploy_nodes() { slipway deploy "$SUITE/quickstart.yaml" --vars "deployment_name=$1" --nodes "a3mega_nodeset=$2"; }

# slurm_answers NAME: within a step's time
slurm_answers() {
  answers() { on "$1" controller timeout 2 sinfo --noheader >"$BATS_TEST_TMPDIR/sinfo" 2>&1; }
  local end=$((SECONDS + 15))
  until answers "$1"; do [ $SECONDS -lt $end ] || { cat "$BATS_TEST_TMPDIR/sinfo" && return 1; }; done
}

# interrupt_change NAME N SIGNAL WHOM same|old: interrupts a change of how many compute nodes there are, one or two; slurmctld
# answers, and then the same blueprint, or the old one, is deployed. Fails with 77 when there is no point N.
interrupt_change() {
  local name=$1 point=$2 signal=$3 whom=$4 next=$5 before wanted
  before=$(compute_nodes "$name" | wc -l)
  wanted=$((3 - before))
  interrupt_at "$point" "$signal" "$whom" deploy "$SUITE/quickstart.yaml" --vars "deployment_name=$name" \
    --nodes "a3mega_nodeset=$wanted" || return 77
  slurm_answers "$name"
  [ "$next" = same ] || wanted=$before
  deploy_nodes "$name" "$wanted" >"$BATS_TEST_TMPDIR/next" 2>&1 ||
    { echo "point $point, $signal to $whom, $next:" && cat "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/next" && return 1; }
  [ "$(compute_nodes "$name" | wc -l)" -eq "$wanted" ]
  [ "$(on "$name" controller sinfo --noheader --Node --format=%T | grep -cE 'idle|mixed|allocated')" -eq "$wanted" ]
  [ ! -e "$(deployments_folder)/$name/change.json" ]
}
