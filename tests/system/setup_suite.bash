# Runs once for all system tests: prepares the installation under test, and the user who runs it.
#
#   SLIPWAY_TEST_AS=root       (default for root) run as root
#   SLIPWAY_TEST_AS=user       run as an ordinary user: a temporary one if root runs the tests, otherwise the caller
#   SLIPWAY_TEST_NAME=NAME     for the temporary user and the folder of temporary files; must differ between parallel runs
#   SLIPWAY_TEST_PROGRAM=FILE  another build of the program `slipway`, relative to the top of the tree

setup_suite() {
  local top=$BATS_TEST_DIRNAME/../..
  top=$(cd "$top" && pwd)
  if [ "$(id -u)" -eq 0 ]; then
    export SLIPWAY_TEST_AS=${SLIPWAY_TEST_AS:-root}
  else
    export SLIPWAY_TEST_AS=user
  fi

  # A copy that every user can read, wherever the checkout is.
  SUITE=/var/tmp/slipway-test.${SLIPWAY_TEST_NAME:-$(mktemp --dry-run XXXXXX)}
  mkdir --mode=755 "$SUITE" "$SUITE/state"
  cp -r "$top/build/prefix" "$SUITE/prefix"
  # Optionally, a `slipway` built with sanitizers; the plugins do not change, as slurmd has no sanitizer.
  if [ -n "${SLIPWAY_TEST_PROGRAM:-}" ]; then cp "$top/$SLIPWAY_TEST_PROGRAM" "$SUITE/prefix/bin/slipway"; fi
  export SUITE TOP=$top
  export LC_ALL=C.UTF-8 # in which the tests expect text

  if [ "$SLIPWAY_TEST_AS" = user ] && [ "$(id -u)" -eq 0 ]; then
    export TEST_USER=slipway-${SUITE##*.}
    useradd --create-home --shell /bin/bash "$TEST_USER"
    chown "$TEST_USER" "$SUITE/state"
  fi
  destroy_ours # left by a killed run
}

# Destroys the tests' deployments.
destroy_ours() {
  local name
  for name in $(as_tester "$SUITE/prefix/bin/slipway" status --json | jq_names); do
    case $name in st-*) as_tester "$SUITE/prefix/bin/slipway" destroy "$name" ;; esac
  done
}

teardown_suite() {
  destroy_ours
  if [ -n "${TEST_USER:-}" ]; then remove_user "$TEST_USER"; fi
  as_owner rm -rf "$SUITE"
}

# remove_user NAME: after the last of its processes has ended or is a zombie
remove_user() {
  pkill -KILL -u "$1" || true
  local i
  for i in $(seq 500); do
    pgrep -u "$1" >/dev/null || break
    sleep 0.02
  done
  userdel --force --remove "$1" 2>/dev/null
}

# Names of the deployments in `slipway status --json`.
jq_names() { python3 -c 'import json, sys; [print(d["deployment"]) for d in json.load(sys.stdin)]'; }

# Runs a command as the tests' user.
as_tester() {
  if [ -n "${TEST_USER:-}" ]; then
    runuser -u "$TEST_USER" -- env XDG_STATE_HOME="$SUITE/state" HOME="/home/$TEST_USER" "$@"
  elif [ "$SLIPWAY_TEST_AS" = user ]; then
    XDG_STATE_HOME="$SUITE/state" "$@"
  else
    "$@"
  fi
}

# as_owner COMMAND...: as root of the tests' user. Files of daemons belong to ids of that user's own range.
as_owner() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else unshare --map-root-user --map-auto "$@"; fi
}
