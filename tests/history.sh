#!/usr/bin/env bash
# Checks the commits since the last release: a subject of at most 50 characters that reads like an order ("Fix the
# quota of spot nodes"), and a body that says why. Prints each commit that breaks a rule, and exits with 1 if any does.
# A clone without the history to look at, such as an unpacked tarball, is reported and passes.
#
#   tests/history.sh           the commits since the last release
#   tests/history.sh RANGE     those of a range that git knows, such as main..
#
# A release is a tag that begins with `v`. FIRST is the last commit before the rules, and counts only until the first
# release: tag it, and the check moves on by itself; FIRST can go then.
set -euo pipefail
cd "$(dirname "$0")/.."

FIRST=74ef553baaa01b7d2263a7b2862d7fac0ba2b964

# Orders that end like a participle.
ORDERS='Bring|Ping|Ring|String|Bed|Embed|Exceed|Feed|Need|Proceed|Seed|Shed|Shred|Speed|Succeed|Wed'

# wrong_with SUBJECT BODY: prints what breaks a rule, one rule a line
wrong_with() {
  local subject=$1 body=$2 verb=${1%% *}
  [ ${#subject} -le 50 ] || echo "the subject has ${#subject} characters; 50 are allowed"
  [[ $subject =~ ^[A-Z] ]] || echo "the subject does not begin with a capital letter"
  [[ $subject != *. ]] || echo "the subject ends with a full stop"
  [[ ! $verb =~ (ed|ing)$ || $verb =~ ^($ORDERS)$ ]] || echo "the subject begins with \"$verb\", which is not an order"
  [[ $body =~ [^[:space:]] ]] || echo "there is no body that says why"
}

# no_history: prints why there is nothing to look at; fails where there is
no_history() {
  if [ ! -e .git ] || ! command -v git >/dev/null; then
    echo "history: not checked: this is not a git clone"
  elif ! git rev-parse HEAD >/dev/null; then
    echo "history: not checked: git cannot read this clone"
  elif [ "$(git rev-parse --is-shallow-repository)" = true ]; then
    echo "history: not checked: this clone is shallow"
  else
    return 1
  fi
}

# since_last_release: as a range of git's
since_last_release() { echo "$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null || echo $FIRST).."; }

if no_history; then exit; fi
range=${1:-$(since_last_release)}
count=0
bad=0
commits=$(git rev-list --no-merges "$range")
for commit in $commits; do
  count=$((count + 1))
  subject=$(git show --no-patch --format=%s "$commit")
  wrong=$(wrong_with "$subject" "$(git show --no-patch --format=%b "$commit")")
  [ -n "$wrong" ] || continue
  bad=$((bad + 1))
  printf '%s %s\n  %s\n' "${commit:0:7}" "$subject" "${wrong//$'\n'/$'\n  '}"
done
echo "history: $count commits in $range, $bad break a rule"
[ "$bad" -eq 0 ]
