#!/usr/bin/env bash
# Every test: packages, build, history, unit and golden tests, conformance, system tests on real clusters, the same under
# the sanitizers, and a little fuzzing. The last line is 'N passed, N failed'.
#
#   ./test.sh            everything but what --images and --soak run
#   ./test.sh --quick    without packages, sanitizers and system tests
#   ./test.sh --images   only: an image of nodes is built from Debian's archive, and a cluster runs from it
#   ./test.sh --soak     only: tests/system/soak_*.bats, which take minutes each: many rounds, or long watching
#   ./test.sh --distributions   only: the quickstart and --quick on Debian 12, 13 and sid (tests/distributions.sh --help)
#   ./test.sh --help     this text
set -euo pipefail
cd "$(dirname "$0")"
. scripts/setup.sh

quick=false
images=false
soak=false
case "${1:-}" in
  "") ;;
  --quick) quick=true ;;
  --images) images=true ;;
  --soak) soak=true ;;
  --distributions) exec tests/distributions.sh --test quick bookworm,trixie,sid ;;
  --help) sed -n '/^set /q; s/^# \{0,1\}//p' test.sh | tail -n +2 && exit ;;
  *) die "unknown option $1; known: --quick, --images, --soak, --distributions, --help" ;;
esac
[ $# -le 1 ] || die "one option at a time, not: $*"

passed=0
failed=0

# count_meson FOLDER: runs the tests of a build folder and adds them up. A skipped test counts as failed.
count_meson() {
  local folder=$1 log ok bad
  shift
  log=$(mktemp)
  # The limits of tests are for an idle machine; here, other tests and a build run at the same time.
  meson test -C "$folder" --no-rebuild --print-errorlogs --timeout-multiplier 4 "$@" 2>&1 | tee "$log" || true
  ok=$(awk '/^Ok:/ { n += $2 } END { print n + 0 }' "$log")
  bad=$(awk '/^(Fail|Unexpected Pass|Skipped|Timeout|Expected Fail):/ { n += $NF } END { print n + 0 }' "$log")
  rm -f "$log"
  [ "$((ok + bad))" -gt 0 ] || bad=1 # no test ran
  passed=$((passed + ok))
  failed=$((failed + bad))
}

# count COMMAND...: runs tests whose last line is 'N passed, N failed', and adds them up.
count() {
  local log ok bad
  log=$(mktemp)
  "$@" 2>&1 | tee "$log" || true
  read -r ok bad < <(sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$log") || true
  rm -f "$log"
  passed=$((passed + ${ok:-0}))
  failed=$((failed + ${bad:-1})) # without that line it was ended
}

# count_history: one test, where there is a history to check
count_history() {
  local said
  if ! said=$(tests/history.sh 2>&1); then
    failed=$((failed + 1))
  elif [[ $said != *"not checked"* ]]; then
    passed=$((passed + 1))
  fi
  echo "$said"
}

# count_conformance: compares with the expansions of another engine, if their folder is next to this one.
count_conformance() {
  local script=../shared/conformance/conformance.py
  [ -e "$script" ] || return 0
  say "test: expansions that the reference engine gives"
  count python3 "$script" build/prefix/bin/slipway
}

# build_sanitized: with clang, which takes less time than g++ for this, and so everything is compiled with both; with
# its linker, which takes a tenth of the usual one's time for programs of this size. At the
# lowest priority: the tests of real clusters wait for most of their time, and lend it their processors.
build_sanitized() {
  renice -n 19 "$BASHPID" >/dev/null
  CXX=clang++ CXX_LD=lld build_into build-sanitized -Db_sanitize=address,undefined -Dfuzz=true -Doptimization=0
}

# finish: says how many have passed
finish() {
  echo
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}

$quick || install_packages all
build_slipway tests
if $images; then
  count tests/system/run.py tests/system/image.bats tests/system/image_steps.bats
  finish
  exit
fi
if $soak; then
  # One at a time: they measure how long Slurm takes.
  count tests/system/run.py --jobs 1 tests/system/soak_*.bats
  finish
  exit
fi
if ! $quick; then
  sanitized_log=$(mktemp)
  set -m # its own process group, which can be ended as a whole
  build_sanitized >"$sanitized_log" 2>&1 </dev/null &
  sanitized=$!
  set +m
  trap 'kill -- "-$sanitized" 2>/dev/null || true; rm -f "$sanitized_log"' EXIT
fi
say "test: history"
count_history
say "test: unit and golden"
# Two for each processor, as some of them wait for most of their time.
count_meson build --num-processes $((2 * $(nproc)))
count_conformance

if ! $quick; then
  say "test: real clusters on this machine"
  count tests/system/run.py

  say "build: with AddressSanitizer and UndefinedBehaviorSanitizer, begun beside the tests above"
  if ! wait "$sanitized"; then
    cat "$sanitized_log"
    failed=$((failed + 1))
    finish || exit
  fi
  say "test: unit, golden and fuzzing under the sanitizers"
  export UBSAN_OPTIONS=print_stacktrace=1
  count_meson build-sanitized --no-suite program
  say "test: real clusters under the sanitizers"
  count tests/system/run.py --program build-sanitized/launcher/commands/slipway
fi

finish
