#!/usr/bin/env bash
# Tests: packages, build, history, unit and golden tests, conformance, and system tests on real clusters. The last line is
# 'N passed, N failed'.
#
#   ./test.sh            everything but what the options below run
#   ./test.sh --quick    without packages and system tests
#   ./test.sh --thorough   the same and what takes long: every input of every module, interruptions at every second point,
#                        more seeds of faults; if root runs it, tests of what users do also run as an ordinary user
#   ./test.sh --sanitized   only: unit and golden tests, a little fuzzing and some system tests with AddressSanitizer and
#                        UndefinedBehaviorSanitizer, for which everything is compiled a second time, with clang
#   ./test.sh --all      ./test.sh --thorough and ./test.sh --sanitized at once, as CI runs them; unit tests that both would
#                        run only run sanitized
#   ./test.sh --images   only: an image of nodes is built from Debian's archive, and a cluster runs from it; the steps of
#                        images for the cloud run in roots of their releases; two releases in one cluster; users
#                        of LDAP and OS Login, and what a controller exports
#   ./test.sh --soak     only: tests/system/soak_*.bats, which take minutes each: many rounds, or long watching; 512 ranks
#   ./test.sh --soak HOURS   only: a cluster of 64 nodes lives that long with jobs, faults, kills and redeploys at random;
#                        SEED=N repeats a run
#   ./test.sh --gpu      only: what only the GPUs of this machine can answer (tests/gpu/run.sh --help)
#   ./test.sh --packages only: the packages of Debian 12 and 13 and RPMs are built in clean roots, twice, and installed, used,
#                        upgraded under a job and removed on clean systems with Slurm, and the archive is tried without root
#                        (tests/packages.sh --help)
#   ./test.sh --own-machines   only: clean systems with systemd and an SSH server become a cluster (tests/own_machines.sh --help)
#   ./test.sh --slurm-releases   only: the plugins for each of five releases of Slurm, on each of them (tests/slurm_releases.sh --help)
#   ./test.sh --api-server   only: manifests on a real API server, built from Debian sid's package and kept in ~/.cache (as root)
#   ./test.sh --distributions   only: the quickstart and --quick on Debian 12, 13 and sid (tests/distributions.sh --help)
#   ./test.sh --help     this text
set -euo pipefail
cd "$(dirname "$0")"
. scripts/setup.sh

quick=false
usual=true
thorough=false
sanitize=false
images=false
soak=false
soak_hours=""
gpu=false
case "${1:-}" in
  "") ;;
  --quick) quick=true ;;
  --sanitized) usual=false && sanitize=true ;;
  --thorough) thorough=true ;;
  --all) thorough=true && sanitize=true ;;
  --images) images=true ;;
  --soak)
    soak=true
    if [ $# -gt 1 ]; then
      [[ $2 =~ ^[0-9]+([.][0-9]+)?$ ]] || die "--soak takes a number of hours, not $2"
      soak_hours=$2
      shift
    fi
    ;;
  --gpu) gpu=true ;;
  --packages) install_packages packages && exec tests/packages.sh --twice bookworm trixie ;;
  --own-machines) install_packages packages && build_slipway && exec tests/own_machines.sh ;;
  --slurm-releases) install_packages packages && exec tests/slurm_releases.sh ;;
  --api-server) exec tests/kubernetes/build_api_server.sh --test ;;
  --distributions) exec tests/distributions.sh --test quick bookworm,trixie,sid ;;
  --help) sed -n '/^set /q; s/^# \{0,1\}//p' test.sh | tail -n +2 && exit ;;
  *) die "unknown option $1; known: --quick, --thorough, --sanitized, --all, --images, --soak, --gpu, --packages, --own-machines, --slurm-releases, --api-server, --distributions, --help" ;;
esac
[ $# -le 1 ] || die "one option at a time, not: $*"

passed=0
failed=0

# folder_in_memory: makes a folder for what tests write, in memory if programs can run from there, as a disk takes ten
# times as long for many small files
folder_in_memory() {
  local folder free
  if folder=$(mktemp -d /dev/shm/slipway-tests.XXXXXX 2>/dev/null); then
    free=$(df --output=avail "$folder" | tail -1) # KiB
    if [ "$free" -gt 2000000 ] && cp /bin/true "$folder" && "$folder/true" 2>/dev/null; then
      chmod 711 "$folder" # tests of root's programs become other users
      echo "$folder" && return
    fi
    rm -rf "$folder"
  fi
  mktemp -d
}

# use_debians_python: what the tests import comes from packages.debian, and so only Debian's Python has all of it.
use_debians_python() {
  if [ "$(command -v python3)" != /usr/bin/python3 ]; then PATH=/usr/bin:$PATH; fi
}

# run_meson FOLDER [option...]: runs the tests of a build folder
run_meson() {
  # The limits of tests are for an idle machine; here, other tests and a build run at the same time.
  TMPDIR=$scratch meson test -C "$1" --no-rebuild --print-errorlogs --timeout-multiplier 4 "${@:2}" 2>&1
}

# keep_failures LOG: the lines about tests that failed or were skipped, as meson, bats and the rest print them
keep_failures() {
  grep -E '^ *[0-9]+/[0-9]+ .* (FAIL|SKIP|TIMEOUT|ERROR|UNEXPECTEDPASS|INTERRUPT) |^failed: |^not tested: |^FAIL ' "$1" >>"$failures" || true
}

# add_meson LOG: adds up what run_meson has printed. A skipped test counts as failed.
add_meson() {
  local ok bad
  keep_failures "$1"
  ok=$(awk '/^Ok:/ { n += $2 } END { print n + 0 }' "$1")
  bad=$(awk '/^(Fail|Unexpected Pass|Skipped|Timeout|Expected Fail):/ { n += $NF } END { print n + 0 }' "$1")
  [ "$((ok + bad))" -gt 0 ] || bad=1 # no test ran
  passed=$((passed + ok))
  failed=$((failed + bad))
}

# count_meson FOLDER [option...]: runs the tests of a build folder and adds them up
count_meson() {
  local log
  log=$(mktemp)
  run_meson "$@" | tee "$log" || true
  add_meson "$log"
  rm -f "$log"
}

# count COMMAND...: runs tests whose last line is 'N passed, N failed', and adds them up.
count() {
  local log ok bad
  log=$(mktemp)
  "$@" 2>&1 | tee "$log" || true
  keep_failures "$log"
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
    echo "failed: history" >>"$failures"
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

# test_sanitized: builds with the sanitizers and runs all tests but those of clusters, which wait for most of their time,
# and lend it their processors. With clang, which takes less time than g++ for this, and so everything is compiled with
# both; with its linker, which takes a tenth of the usual one's time for programs of this size. Only what these tests run is
# built. Fails if the build does; otherwise $scratch/sanitized is there once it is built.
test_sanitized() {
  (
    local needed
    renice -n 5 "$BASHPID" >/dev/null
    CXX=clang++ CXX_LD=lld configure build-sanitized -Db_sanitize=address,undefined -Dfuzz=true -Doptimization=0
    needed=$(tests/sanitizers/needed.py build-sanitized)
    mapfile -t needed <<<"$needed"
    ninja -C build-sanitized -j "$(nproc)" "${needed[@]}"
  )
  touch "$scratch/sanitized"
  say "test: unit, golden and fuzzing under the sanitizers"
  renice -n 5 "$BASHPID" >/dev/null
  run_meson build-sanitized --no-suite program --num-processes $((2 * $(nproc))) || true
}

# wait_for_sanitized: until the build is there, or has failed
wait_for_sanitized() {
  until [ -e "$scratch/sanitized" ] || ! kill -0 "$sanitized" 2>/dev/null; do sleep 0.5; done
}

# end: leaves no process and no file
end() {
  [ -z "$sanitized" ] || kill -- "-$sanitized" 2>/dev/null || true
  chmod -R u+rwx "$scratch" 2>/dev/null || true # overlays of an ordinary user leave folders without any rights
  rm -rf "$scratch" "${sanitized_log:-}"
}

# finish: says what has failed, and how many have passed
finish() {
  echo
  cat "$failures"
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}

scratch=$(folder_in_memory)
failures=$scratch/failures
: >"$failures"
sanitized=
trap end EXIT
$quick || { install_packages all && open_fuse; }
use_debians_python
# Unit tests that the sanitizers run in full are compiled and run once, with them.
once=
! $sanitize || once=sanitized
build_slipway tests $once
if $images; then
  count tests/system/run.py tests/system/image*.bats tests/system/slurm_auth.bats
  finish
  exit
fi
if $gpu; then
  gpu_options=()
  # Without a GPU, the script itself is tested, which it says.
  nvidia-smi --list-gpus >/dev/null 2>&1 || gpu_options=(--stand-ins build/tests/fakes --size 4K)
  count tests/gpu/run.sh "${gpu_options[@]}" --result build/gpu-answers.json
  finish
  exit
fi
if $soak; then
  if [ -n "$soak_hours" ]; then
    SLIPWAY_TEST_MINUTES=$(awk -v hours="$soak_hours" 'BEGIN { printf "%.0f", 60 * hours }')
    export SLIPWAY_TEST_MINUTES
    count tests/system/run.py --limit $((SLIPWAY_TEST_MINUTES * 60 + 3600)) tests/system/soak_random.bats
    finish
    exit
  fi
  # One at a time: they measure how long Slurm takes.
  count tests/system/run.py --jobs 1 tests/system/soak_*.bats
  count tests/unit/nccl-tests/start_test.py build/nccl-tests/bandwidth_perf 512
  finish
  exit
fi
if $sanitize; then
  export UBSAN_OPTIONS=print_stacktrace=1
  sanitized_log=$(mktemp)
  set -m # its own process group, which can be ended as a whole
  test_sanitized >"$sanitized_log" 2>&1 </dev/null &
  sanitized=$!
  set +m
fi
if $usual; then
  say "test: history"
  count_history
  say "test: unit and golden"
  # Two for each processor, as some of them wait for most of their time.
  left_out=()
  $thorough || left_out+=(--no-suite thorough)
  [ -z "$once" ] || left_out+=(--no-suite "$once")
  count_meson build --num-processes $((2 * $(nproc))) "${left_out[@]}"
  tests/unit/spank-plugins/nccl_loader.py --find ||
    echo "not tested: that NCCL loads the library of NCCL's variables; no NCCL 2.28 or newer here" >>"$failures"
  # Its package starts a registry that everybody can write to, so it is not in packages.debian.
  command -v docker-registry >/dev/null ||
    echo "not tested: imports from a real registry; docker-registry is not installed here" >>"$failures"
  count_conformance
fi
if $usual && ! $quick; then
  say "test: real clusters on this machine"
  thorough_option=()
  ! $thorough || thorough_option=(--thorough)
  count tests/system/run.py "${thorough_option[@]}"
fi
if $sanitize; then
  # Beside the rest of the tests under the sanitizers.
  wait_for_sanitized
  say "test: real clusters under the sanitizers"
  count tests/system/run.py --program build-sanitized/launcher/commands/slipway

  say "build and test: with AddressSanitizer and UndefinedBehaviorSanitizer, begun beside the tests above"
  wait "$sanitized" || echo "it cannot be built"
  sanitized=
  cat "$sanitized_log"
  add_meson "$sanitized_log"
fi

finish
