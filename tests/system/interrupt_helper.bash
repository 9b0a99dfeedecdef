# Interrupts `slipway deploy` and `destroy` at each of their points (launcher/local/checkpoint.h).

# own PID...: those of the program under test; other slipway processes on this machine must not be killed
own() {
  local process
  for process in "$@"; do
    case $(readlink "/proc/$process/exe") in "$SUITE"/*) echo "$process" ;; esac
  done
}

# clients: the running commands
clients() { own $(pgrep -x slipway); }

# stopped_process: the slipway process that has stopped itself at its point
stopped_process() { own $(ps -eo pid=,stat=,comm= | awk '$2 ~ /^T/ && $3 ~ /^slipway/ { print $1 }') | head -n 1 | grep .; }

# run_to_point N ARGUMENT...: runs slipway until it, or the supervisor's process that makes the change, reaches point N.
# Then JOB is the command, CLIENT its process, STOPPED the stopped process. Fails if there is no point N.
run_to_point() {
  local point=$1
  shift
  set -m # or a shell makes its background commands ignore SIGINT
  SLIPWAY_TEST_STOP_AT=$point slipway "$@" >"$BATS_TEST_TMPDIR/out" 2>&1 3>&- &
  JOB=$!
  set +m
  stopped_or_ended() { STOPPED=$(stopped_process) || ! kill -0 "$JOB" 2>/dev/null; }
  wait_for stopped_or_ended
  [ -n "$STOPPED" ] || { wait "$JOB" && return 1; }
  CLIENT=$(clients | head -n 1)
}

# interrupt_at N SIGNAL WHOM ARGUMENT...: runs slipway to point N, sends the signal to it (WHOM is client) or to the
# stopped process (WHOM is stopped), and resumes the stopped process. Fails if there is no point N.
interrupt_at() {
  local point=$1 signal=$2 whom=$3
  shift 3
  run_to_point "$point" "$@" || return 1
  if [ "$whom" = client ]; then kill "-$signal" "$CLIENT"; else kill "-$signal" "$STOPPED"; fi
  kill -CONT "$STOPPED" 2>/dev/null || true
  # runuser stops with its child, and does not resume by itself.
  kill -CONT -- "-$JOB" 2>/dev/null || true
  wait "$JOB" 2>/dev/null || true
}

# deploy_nodes NAME N: the quickstart with N compute nodes
deploy_nodes() { slipway deploy "$SUITE/quickstart.yaml" --vars "deployment_name=$1" --nodes "a3mega_nodeset=$2"; }

# slurm_answers NAME: without waiting for what was interrupted
slurm_answers() {
  answers() { on "$1" controller timeout 10 sinfo --noheader >"$BATS_TEST_TMPDIR/sinfo" 2>&1; }
  local end=$((SECONDS + 60))
  until answers "$1"; do [ $SECONDS -lt $end ] || { cat "$BATS_TEST_TMPDIR/sinfo" && return 1; }; done
}

# interrupt_change NAME N SIGNAL WHOM same|old: interrupts a change of the number of compute nodes, one or two;
# slurmctld answers, and then the same blueprint or the old one is deployed. Returns 77 if there is no point N.
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
