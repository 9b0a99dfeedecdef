# The commands of the documentation that need a cluster: all pages share one.

load helper

# Deployments of the tester's own are out of sight: the pages' is called quickstart, and so may theirs be.
apart() {
  cd "$TOP" || return
  if [ "$(id -u)" -eq 0 ]; then
    mkdir -p /var/lib/slipway
    unshare --mount bash -euo pipefail -c "mount -t tmpfs tmpfs /var/lib/slipway; $1"
  else
    XDG_STATE_HOME="$BATS_TEST_TMPDIR" bash -euo pipefail -c "$1"
  fi
}

@test "docs: every command of the pages works on one cluster, and prints what they show" {
  run apart "build/prefix/bin/slipway deploy examples/quickstart.yaml --quiet
    code=0
    tests/docs/run.py cluster build/prefix || code=1
    build/prefix/bin/slipway destroy quickstart
    exit \$code"
  [ "$status" -eq 0 ] || { echo "$output" && false; }
  says " 0 problems"
  says "docs/start/local.md: "
  lacks "^docs/.*: ended with status"
}
