# Shared by the system tests. Their deployments are named st-…; others on the machine are left alone.

. "$BATS_TEST_DIRNAME/setup_suite.bash"

BLUEPRINT=$TOP/examples/quickstart.yaml

slipway() { as_tester "$SUITE/prefix/bin/slipway" "$@"; }

# deploy NAME [option...]
deploy() {
  local name=$1
  shift
  cp "$BLUEPRINT" "$SUITE/quickstart.yaml"
  slipway deploy "$SUITE/quickstart.yaml" --vars "deployment_name=$name" "$@"
}

# destroy_all PREFIX: every deployment whose name has this prefix
destroy_all() {
  local name
  for name in $(slipway status --json | jq_names); do
    case $name in "$1"*) slipway destroy "$name" ;; esac
  done
}

# on NAME NODE COMMAND...: runs a command on a node
on() {
  local name=$1 node=$2
  shift 2
  slipway exec "$name" "$node" -- "$@"
}

# compute_nodes NAME: one per line, as Slurm names them
compute_nodes() { on "$1" controller sinfo --noheader --Node --format=%N | sort -u; }

deployments_folder() {
  if [ "$SLIPWAY_TEST_AS" = root ]; then
    echo /var/lib/slipway/deployments
  else
    echo "$SUITE/state/slipway/deployments"
  fi
}

# The supervisor of a deployment: the process that holds its lock.
supervisor_of() {
  local pid
  for pid in $(pgrep -x slipway-super); do
    # shellcheck disable=SC2012  # links of /proc, not file names
    ls -l "/proc/$pid/fd" 2>/dev/null | grep -q "$(deployments_folder)/$1/lock$" && echo "$pid" && return
  done
  return 1
}

# Everything that a deployment can leave on the host.
host_state() { "$BATS_TEST_DIRNAME/host_state.py" "$(deployments_folder)"; }

# what_is_new: on the host, since BEFORE was taken
what_is_new() { comm -13 <(sort <<<"$BEFORE") <(host_state | sort); }

# nothing_is_left: nothing new remains since BEFORE was taken
nothing_is_left() {
  nothing_is_new() { [ -z "$(what_is_new)" ]; }
  # A namespace of a process that has just ended may stay for a moment.
  wait_for nothing_is_new || { what_is_new && false; }
}

# as_root_in_own_mounts COMMAND BLUEPRINT...: deploys after COMMAND has changed the mounts, which nobody else sees.
# Prints how many deployments are left.
as_root_in_own_mounts() {
  local command=$1 map=()
  shift
  [ "$(id -u)" -eq 0 ] || map=(--map-root-user --map-auto) # slurmd 24.11 sets its groups before it says its release
  unshare "${map[@]}" --mount bash -c "$command"'
    "$@"; code=$?
    echo "left: $(ls /var/lib/slipway/deployments 2>/dev/null | wc -l)"
    exit $code' bash "$SUITE/prefix/bin/slipway" deploy "$@"
}

# client PATTERN: the process of a running `slipway` whose command line contains PATTERN
client() {
  local pid
  for pid in $(pgrep -x slipway); do
    tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -q -- "$1" && echo "$pid" && return
  done
  return 1
}

# wait_for COMMAND...: until it succeeds; at most two minutes, since the machine may be busy and Slurm takes its time, or
# WAIT_SECONDS.
# Asking takes CPU time from other files' tests, so pauses grow: each is a tenth of the time until then.
wait_for() {
  local begin=${EPOCHREALTIME//[.,]/} waited pause
  until "$@"; do
    waited=$((${EPOCHREALTIME//[.,]/} - begin)) # microseconds
    [ $waited -lt $((${WAIT_SECONDS:-120} * 1000000)) ] || { echo "waited without success for: $*" >&2 && return 1; }
    pause=$((waited < 200000 ? 20 : waited < 10000000 ? waited / 10000 : 1000)) # milliseconds
    sleep "$((pause / 1000)).$(printf %03d $((pause % 1000)))"
  done
}

# add_user USER OPTION...: on all machines of the deployment NAME. Nodes show /etc/passwd.lock of the host, while another
# test adds a user there.
add_user() {
  local user=$1
  shift
  wait_for slipway exec "$NAME" all -- sh -c 'id "$0" >/dev/null 2>&1 || useradd "$@" "$0"' "$user" "$@"
}

# state_is NAME STATE: a deployment's state in `slipway status`
state_is() { slipway status "$1" 2>/dev/null | grep "^deployment $1: $2" >/dev/null; }

# node_is NODE STATE: in the deployment NAME, according to sinfo, without the $ that marks a reservation for maintenance
node_is() { on "$NAME" controller sinfo --noheader --Node --format='%N %T' | sed 's/[$]$//' | grep -qxF "$1 $2"; }

# write_down JOB: makes slurmctld save the job's state to its file, which it does every five seconds. If it is killed
# before, it does not know that the job has begun.
write_down() {
  on "$NAME" controller scontrol update "jobid=$1" "comment=written down: $1"
  wait_for on "$NAME" controller grep -q "written down: $1" /var/spool/slurmctld/job_state
}

# write_program FILE: installs stdin as a program on the shared file system of the deployment NAME
write_program() { on "$NAME" login sh -c 'cat >"$1"; chmod 755 "$1"' sh "$1"; }

# leave_nothing NODE...: for teardown(): a failed test leaves no job to the next, and no fault or drain of these nodes
leave_nothing() {
  [ -z "${BATS_TEST_COMPLETED:-}" ] || return 0
  local node
  for node in "$@"; do
    slipway fault "$NAME" "$node" clear || true
    on "$NAME" controller scontrol update "NodeName=$node" State=RESUME 2>/dev/null || true
  done
  on "$NAME" controller sh -c 'squeue --noheader --format=%A | xargs --no-run-if-empty scancel' || true
}

# fails_with STATUS TEXT: checks the last `run`
fails_with() {
  if [ "$status" -ne "$1" ] || [[ "$output" != *"$2"* ]]; then
    printf 'wanted status %s and: %s\ngot status %s and: %s\n' "$1" "$2" "$status" "$output" >&2
    return 1
  fi
}

# says TEXT: the last `run` succeeded, and its output contains TEXT
says() { fails_with 0 "$1"; }

# judged: the last `run` measured a bandwidth, and its status matches the verdict. On a busy machine, a healthy cluster may
# be judged slow.
judged() {
  if grep -q '# Verdict: fail (busbw .* of what this machine moves' <<<"$output"; then
    [ "$status" -eq 1 ]
  else
    [ "$status" -eq 0 ]
  fi || { printf 'status %s: %s\n' "$status" "$output" >&2 && false; }
}

# slurm_has_pmix: its plugin. Debian left it out of 26.05.5; test.sh then says what is not tested.
slurm_has_pmix() { on "$NAME" login srun --mpi=list 2>&1 | grep -q pmix; }

# A bare `! command` fails no test unless it is the last line: bash exempts it from `set -e`.
refuse() { ! "$@"; }

# lacks [grep option...] PATTERN: the output has no such line
lacks() { refuse grep -q "$@" <<<"$output"; }

# apart COMMANDS: runs them at the top of the tree. The tester's own deployments are hidden: the pages' is called
# quickstart, and so may one of theirs be.
apart() {
  cd "$TOP" || return
  if [ "$(id -u)" -eq 0 ]; then
    mkdir -p /var/lib/slipway
    unshare --mount bash -euo pipefail -c "mount -t tmpfs tmpfs /var/lib/slipway; $1"
  else
    XDG_STATE_HOME="$BATS_TEST_TMPDIR" bash -euo pipefail -c "$1"
  fi
}
