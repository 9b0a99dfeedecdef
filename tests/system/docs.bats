# The commands of the documentation that need a cluster: all pages share one.

# bats file_tags=long
load helper

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
