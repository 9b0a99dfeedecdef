#!/usr/bin/env bash
# Compiles the plugins in clean roots of systems with different releases of Slurm, and loads the plugins for each release into the
# Slurm of each: those for the same release have to work, and those for another have to say so and stand aside, in srun and
# slurmd. Each system compiles the plugins for the Slurm that it has; those for another come from the first system, with the headers of that
# Slurm, as every system has a C library that is new enough for them.
#
#   tests/slurm_releases.sh [OPTION...] [SYSTEM...]   the oldest first (default: bookworm noble trixie resolute sid); as root,
#                                                     with the archives of Debian and Ubuntu
#
#   --roots FOLDER   keeps the roots there, and uses those that are there already
#   --help           this text
#
# The table in docs/background/slurm-releases.md is what this test prints; SLIPWAY_ACCEPT=1 writes it. The last line is 'N passed,
# N failed'.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh

roots=''
while [[ "${1:-}" == -* ]]; do
  case $1 in
    --help) sed -n '/^set /q; s/^# \{0,1\}//p' tests/slurm_releases.sh | tail -n +2 && exit ;;
    --roots)
      [ -n "${2:-}" ] || die "$1 takes a folder"
      mkdir -p "$2"
      roots=$(cd "$2" && pwd)
      shift
      ;;
    *) die "unknown option $1; known: --roots, --help" ;;
  esac
  shift
done
[ "$(id -u)" -eq 0 ] || die "this needs root, for clean systems that are thrown away"
[ $# -gt 0 ] || set -- bookworm noble trixie resolute sid

page=docs/background/slurm-releases.md
work=$(mktemp -d /var/tmp/slipway-slurm-releases.XXXXXX)
roots=${roots:-$work/roots}
trap 'rm -rf --one-file-system "$work"' EXIT
passed=0 failed=0
share_ccache

# same WHAT GOT EXPECTED
same() {
  if [ "$2" = "$3" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAIL %s\n  expected %s\n  got      %s\n' "$1" "$3" "$2"
  fi
}

# make_root SYSTEM: with its Slurm, what compiling needs, and the source
make_root() {
  local root=$roots/$1 mirror=${SLIPWAY_MIRROR:-}
  case $1 in
    # Debian does not have Ubuntu's keys; this root is for tests only.
    noble | resolute) mirror="deb [trusted=yes] http://archive.ubuntu.com/ubuntu $1 main universe" ;;
  esac
  if [ ! -e "$root.made" ]; then
    rm -rf --one-file-system "$root"
    SLIPWAY_MIRROR=$mirror scripts/root.sh make "$1" "$root" --include=apt,munge,slurmctld,slurmd,slurm-client,iproute2,procps,ccache
    # shellcheck disable=SC2016  # for the shell in there
    scripts/root.sh enter "$root" sh -euc 'apt-get update -qq
      DEBIAN_FRONTEND=noninteractive apt-get satisfy -y -qq --no-install-recommends "$1" >/dev/null
      apt-get clean' sh "$(packaging/needs compile)"
    touch "$root.made"
  fi
  rm -rf "$root/home/tester"
  mkdir -p "$root/home/tester/slipway"
  git ls-files -z | xargs -0 cp --parents -t "$root/home/tester/slipway"
}

# inside SYSTEM STEP...
inside() { scripts/root.sh enter-alone "$roots/$1" bash tests/slurm_releases_in_root.sh "${@:2}"; }

# compile SYSTEM NAME [HEADERS]: the plugins for the Slurm NAME into $work/NAME of this machine
compile() {
  local folder=/home/tester/plugins/$2
  inside "$1" compile "$folder" ${3:+"$3"} >"$work/log" 2>&1 || { tail -n 40 "$work/log" && die "the plugins for Slurm $2 cannot be compiled on $1"; }
  mkdir -p "$work/$1"
  mv "$roots/$1$folder" "$work/$1/"
}

mkdir -p "$roots"
declare -A release_of
for system in "$@"; do
  say "a clean root of $system"
  make_root "$system"
  release_of[$system]=$(scripts/root.sh enter-alone "$roots/$system" packaging/slurm_release)
  say "plugins for Slurm ${release_of[$system]}, on $system"
  compile "$system" "${release_of[$system]}"
done
for system in "${@:2}"; do
  release=${release_of[$system]}
  say "plugins for Slurm $release, on $1"
  mkdir -p "$roots/$1/home/tester/headers/$release"
  cp -r "$roots/$system/usr/include/slurm" "$roots/$1/home/tester/headers/$release/"
  compile "$1" "$release" "/home/tester/headers/$release"
done

table='| Slurm | on | compiled with |' line='| --- | --- | --- |'
for system in "$@"; do table+=" for ${release_of[$system]} |" line+=' --- |'; done
table+=$'\n'$line
for system in "$@"; do
  say "Slurm ${release_of[$system]}, on $system"
  folders=()
  for other in "$@"; do
    from=$1
    if [ "$other" = "$system" ]; then from=$system; fi
    mkdir -p "$roots/$system/home/tester/plugins"
    cp -r "$work/$from/${release_of[$other]}" "$roots/$system/home/tester/plugins/"
    folders+=("/home/tester/plugins/${release_of[$other]}")
  done
  inside "$system" try "${folders[@]}" >"$work/said" 2>"$work/errors" || true
  before=$failed
  table+=$'\n'"| $(sed -n 's/^version: //p' "$work/said") | $system | g++ $(chroot "$roots/$system" g++ -dumpfullversion) |"
  for other in "$@"; do
    verdict=$(sed -n "s/^plugins for ${release_of[$other]}: //p" "$work/said")
    expected="stand aside"
    if [ "$other" = "$system" ]; then expected=work; fi
    same "Slurm ${release_of[$system]} with plugins for ${release_of[$other]}" "$verdict" "$expected"
    table+=" $verdict |"
  done
  if [ "$failed" -gt "$before" ]; then tail -n 100 "$work/errors"; fi
done
printf '\n%s\n' "$table"
if [ -n "${SLIPWAY_ACCEPT:-}" ]; then
  table=$table awk '/^\|/ { if (!done++) print ENVIRON["table"]; next } 1' "$page" >"$work/page"
  cp "$work/page" "$page"
fi
same "the table in $page" "$(sed -n '/^|/p' "$page")" "$table"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
