# The commands of the documentation that need a cluster: all pages share one.

# bats file_tags=long,thorough
load helper

@test "docs: every command of the pages works on one cluster, and prints what they show" {
  run apart "build/prefix/bin/slipway deploy examples/quickstart.yaml --quiet
    # On a busy machine, a healthy cluster may be slow: any bandwidth passes.
    for node in \$(build/prefix/bin/slipway exec quickstart controller -- sinfo --noheader --Node --format=%N | sort -u); do
      build/prefix/bin/slipway exec quickstart \$node -- sed -i 's/\(\"least_ratio\": *\)[0-9.]*/\10.000001/' /etc/slipway/node.json
      build/prefix/bin/slipway exec quickstart \$node -- grep -q 0.000001 /etc/slipway/node.json
    done
    code=0
    tests/docs/run.py cluster build/prefix || code=1
    build/prefix/bin/slipway destroy quickstart
    exit \$code"
  [ "$status" -eq 0 ] || { echo "$output" && false; }
  says " 0 problems"
  says "docs/start/local.md: "
  lacks "^docs/.*: ended with status"
}
