# What the system tests share. Deployments of theirs are named st-…; others on the machine are left alone.

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

# on NAME NODE COMMAND...: runs a command on a node
on() {
  local name=$1 node=$2
  shift 2
  slipway exec "$name" "$node" -- "$@"
}

# compute_nodes NAME: one a line, as Slurm names them
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
  local inode pid
  inode=$(stat -c %i "$(deployments_folder)/$1/lock")
  awk -v inode=":$inode " 'index($0, inode) && /WRITE/ { print $5; exit }' /proc/locks
}

# All that a deployment could leave on the host.
host_state() {
  echo "namespaces: $(for kind in mnt net pid uts ipc user; do
    # shellcheck disable=SC2012  # links of /proc, not file names
    echo "$kind $(ls -l /proc/[0-9]*/ns/$kind 2>/dev/null | awk '{ print $NF }' | sort -u | wc -l)"
  done | tr '\n' ' ')"
  echo "mounts:"
  cut -d' ' -f 2,3 /proc/self/mounts | sort
  echo "interfaces:"
  ip -brief link | cut -d' ' -f1 | sort
  echo "daemons:"
  # shellcheck disable=SC2009  # pgrep does not print names and counts
  ps -e -o comm= | grep -E '^(slurm|munged|slipway)' | sort || true
  echo "folders:"
  ls "$(deployments_folder)" 2>/dev/null || true
}

# fails_with STATUS TEXT: of the last `run`
fails_with() {
  if [ "$status" -ne "$1" ] || [[ "$output" != *"$2"* ]]; then
    printf 'wanted status %s and: %s\ngot status %s and: %s\n' "$1" "$2" "$status" "$output" >&2
    return 1
  fi
}

# says TEXT: in the output of the last `run`, which succeeded
says() { fails_with 0 "$1"; }
