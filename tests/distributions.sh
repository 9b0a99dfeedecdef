#!/usr/bin/env bash
# Runs the quickstart, and tests if you like, on other releases of Debian: each in a fresh root file system and in
# namespaces of its own, first as root, then as an ordinary user. Nothing of it stays on this machine.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: tests/distributions.sh [OPTION...] RELEASE[,RELEASE...] [COMMAND...]

Installs a root file system of each RELEASE (bookworm, trixie, sid), copies the last commit into it, and runs
./quickstart.sh there as root and as an ordinary user. With a COMMAND, runs that instead, in the top folder of the source.
It needs root, mmdebstrap and Debian's archive. The last line is 'N passed, N failed': one for each release and user.

  --test [quick|full]  also runs ./test.sh --quick (default) or all of ./test.sh
  --user root|user     only as one of the two
  --cache FOLDER       keeps the root file systems there, with their packages, and uses those that are there already
  --mirror URL         the archive's mirror (default: this machine's)
  --help               this text

examples:
  tests/distributions.sh trixie
  tests/distributions.sh --cache ~/.cache/slipway --test quick bookworm,trixie,sid
  tests/distributions.sh --user root trixie bash -c './quickstart.sh && bats tests/system/cluster.bats'
TEXT
}

die() { printf 'error: %s\n' "$*" >&2; exit 1; }
say() { printf '\n==> %s\n' "$*"; }
unusable() { printf 'error: %s\n\n' "$*" >&2; usage >&2; exit 2; }

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source_in_root=/home/tester/slipway
quickstart='./quickstart.sh && build/prefix/bin/slipway destroy quickstart --auto-approve'

# The two that follow are called in a condition, where `set -e` ends nothing.

# make_root RELEASE ROOT: a minimal system of the release, with an ordinary user
make_root() {
  local release=$1 root=$2
  if [ -n "$cache" ] && [ -e "$cache/$release.tar" ]; then
    say "$release: from $cache/$release.tar"
    tar -C "$root" --numeric-owner -xpf "$cache/$release.tar"
    return # with its status
  fi
  say "$release: a root file system"
  SLIPWAY_MIRROR=$mirror "$top/scripts/root.sh" make "$release" "$root"
}

# install RELEASE ROOT: the source, and what packages.debian lists
install() {
  local release=$1 root=$2 all=
  if [ -n "$test" ]; then all=all; fi
  mkdir -p "$root$source_in_root"
  git -C "$top" archive HEAD | tar -C "$root$source_in_root" -x || return
  "$top/scripts/root.sh" enter "$root" bash -euo pipefail -c '. scripts/setup.sh && install_packages "$@"
    id tester >/dev/null 2>&1 || useradd --shell /bin/bash tester
    chown tester: /home/tester
    apt-get clean' bash $all || return
  if [ -n "$cache" ] && [ ! -e "$cache/$release.tar" ]; then
    tar -C "$root" --numeric-owner --exclude "./${source_in_root#/}" -cpf "$cache/$release.tar.part" . &&
      mv "$cache/$release.tar.part" "$cache/$release.tar"
  fi
}

# run_as USER ROOT: the commands; fails too if they leave something on what is a whole machine for them
run_as() {
  local user=$1 root=$2 state=/var/lib/slipway/deployments as=()
  if [ "$user" = user ]; then
    state=/home/tester/.local/state/slipway/deployments
    # With the build that root has left.
    chown -R --reference="$root/home/tester" "$root$source_in_root"
    as=(runuser --login tester -c 'cd slipway && exec "$@"' -- sh)
  fi
  # shellcheck disable=SC2016  # for the shell in there
  "$top/scripts/root.sh" enter-alone "$root" bash -c '
    state() { python3 tests/system/host_state.py "$1"; }
    before=$(state "$1") folder=$1
    shift
    "$@" || exit
    for try in $(seq 100); do
      new=$(comm -13 <(sort <<<"$before") <(state "$folder" | sort))
      [ -n "$new" ] || exit 0
      sleep 0.1 # a process that was killed may take a moment
    done
    printf "error: something is left:\n%s\n" "$new" >&2
    exit 1' bash "$state" "${as[@]}" bash "${command[@]}"
}

# check RELEASE: prints what happens, and adds to `verdicts`
check() {
  local release=$1 user root start
  root=$work/$release
  mkdir "$root"
  if ! { make_root "$release" "$root" && install "$release" "$root"; }; then
    verdicts+=("$release: failed: no root file system with all packages")
    failed=$((failed + ${#users[@]}))
    return
  fi
  for user in "${users[@]}"; do
    say "$release, as $user: $what"
    start=$SECONDS
    if run_as "$user" "$root"; then
      verdicts+=("$release, as $user: passed after $((SECONDS - start)) s")
      passed=$((passed + 1))
    else
      verdicts+=("$release, as $user: failed after $((SECONDS - start)) s")
      failed=$((failed + 1))
    fi
  done
  rm -rf --one-file-system "$root"
}

cache='' mirror='' test='' users=(root user)
while [[ "${1:-}" == -* ]]; do
  case "$1" in
    --help) usage && exit ;;
    --test)
      test=quick
      if [[ "${2:-}" =~ ^(quick|full)$ ]]; then test=$2 && shift; fi
      ;;
    --user)
      [[ "${2:-}" =~ ^(root|user)$ ]] || unusable "\`--user\` takes root or user"
      users=("$2") && shift
      ;;
    --cache | --mirror)
      [ -n "${2:-}" ] || unusable "\`$1\` takes a value"
      if [ "$1" = --cache ]; then cache=$2; else mirror=$2; fi
      shift
      ;;
    *) unusable "unknown option \`$1\`" ;;
  esac
  shift
done
[ $# -gt 0 ] || unusable "which release?"
IFS=, read -ra releases <<<"$1"
shift
case "$test" in
  full) tests='./test.sh' ;;
  quick) tests='./test.sh --quick' ;;
  *) tests=true ;;
esac
command=(-c "$quickstart && $tests") what="./quickstart.sh${test:+ and $tests}"
if [ $# -gt 0 ]; then command=(-c 'exec "$@"' -- "$@") what=$*; fi

[ "$(id -u)" -eq 0 ] || die "only root can enter another root file system; run it with sudo"
if [ -n "$(git -C "$top" status --porcelain 2>/dev/null)" ]; then
  echo "note: changes that are not committed are not tested" >&2
fi
if [ -n "$cache" ]; then mkdir -p "$cache"; fi
work=$(mktemp -d /var/tmp/slipway-distributions.XXXXXX)
chmod 755 "$work"
trap 'rm -rf --one-file-system "$work"' EXIT

verdicts=() passed=0 failed=0
for release in "${releases[@]}"; do check "$release"; done
say "verdicts"
printf '%s\n' "${verdicts[@]}" "" "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
