#!/usr/bin/env bash
# Makes what people install, from the commit that is checked out: packages for the Slurm of this machine, or an archive for
# people without root, a list of what is in them (SBOM, SPDX), and checksums.
#
#   scripts/release.sh FOLDER              into FOLDER
#   scripts/release.sh --in bookworm,trixie FOLDER   each in a clean root of this release, into FOLDER/RELEASE; needs root,
#                                          mmdebstrap and Debian's archive; the roots share this machine's ccache
#   scripts/release.sh --make PART,... …   what: deb (Debian packages, the default), rpm (RPMs with the same files), folder (the
#                                          archive for people without root, which runs on systems as new as this one)
#   scripts/release.sh --sign KEY FOLDER   also signs the checksums with this key of gpg
#   scripts/release.sh --cache DIR …       keeps the clean roots in DIR
#   scripts/release.sh --help              this text
#
# All times in the files are the commit's, so the same commit makes the same bytes with the same compiler and libraries.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh

key='' releases='' cache='' parts=deb
[ $# -gt 0 ] || set -- --help
while [[ "${1:-}" == -* ]]; do
  case $1 in
    --help) sed -n '/^set /q; s/^# \{0,1\}//p' scripts/release.sh | tail -n +2 && exit ;;
    --sign | --in | --cache | --make)
      [ -n "${2:-}" ] || die "$1 takes a value"
      case $1 in
        --sign) key=$2 ;;
        --in) releases=$2 ;;
        --make) parts=$2 ;;
        --cache) mkdir -p "$2" && cache=$(cd "$2" && pwd) ;;
      esac
      shift
      ;;
    *) die "unknown option $1; known: --in, --make, --sign, --cache, --help" ;;
  esac
  shift
done
[ $# -eq 1 ] || die "one folder, not: $*"
for part in ${parts//,/ }; do
  case $part in deb | rpm | folder) ;; *) die "--make has no '$part'; known: deb, rpm, folder" ;; esac
done
mkdir -p "$1"
out=$(cd "$1" && pwd)
work=$out/work
[ ! -e "$work" ] || die "$work is there: another release.sh is running, or was killed; then remove it"
mkdir "$work"
trap 'rm -rf --one-file-system "$work"' EXIT

# copy_source FOLDER: the commit that is checked out, or, in a copy without history, what is here; with the times of the commit
copy_source() {
  mkdir -p "$1"
  if git rev-parse --git-dir >/dev/null 2>&1; then
    git archive HEAD | tar -C "$1" -x
  else
    find . -mindepth 1 -maxdepth 1 ! -name 'build*' -exec cp -r -t "$1" {} +
  fi
  find "$1" -exec touch --no-dereference --date "@$SOURCE_DATE_EPOCH" {} +
}

# checksums: of all files, signed if there is a key
checksums() {
  rm -f "$out"/SHA256SUMS*
  (cd "$out" && find . -type f ! -path './work/*' ! -name build.log -printf '%P\n' | sort | xargs -d '\n' sha256sum) >"$work/SHA256SUMS"
  mv "$work/SHA256SUMS" "$out/"
  if [ -n "$key" ]; then gpg --batch --yes --local-user "$key" --armor --detach-sign "$out/SHA256SUMS"; fi
}

# make_root RELEASE ROOT: with what the build needs, and nothing else
make_root() {
  local needs kept
  needs="$(packaging/needs), rpm"
  kept=$cache/$1-build-$(sha256sum <<<"$needs" | cut -c 1-8).tar
  if [ -n "$cache" ] && [ -e "$kept" ]; then
    mkdir "$2"
    tar -C "$2" --numeric-owner -xpf "$kept"
    return
  fi
  scripts/root.sh make "$1" "$2" --variant=buildd ${CCACHE_DIR:+--include=ccache}
  # shellcheck disable=SC2016  # for the shell in there
  scripts/root.sh enter "$2" sh -euc 'apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get satisfy -y -qq --no-install-recommends "$1" >/dev/null
    apt-get clean' sh "$needs"
  [ -n "$cache" ] || return 0
  tar -C "$2" --numeric-owner -cpf "$kept.part" .
  mv "$kept.part" "$kept"
}

# in_root RELEASE: the same in a clean root, without a network
in_root() {
  local root=$work/$1 there
  say "release: a clean root of $1"
  make_root "$1" "$root"
  there=$root/home/tester
  copy_source "$there/slipway"
  say "release: in the root of $1"
  scripts/root.sh enter-alone "$root" scripts/release.sh --make "$parts" /home/tester/release
  rm -rf "${out:?}/$1"
  cp -r "$there/release" "$out/$1"
  rm -rf --one-file-system "$root"
}

# here: for the Slurm of this machine
here() {
  local version source part
  version=$(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build)
  source=$work/slipway-$version
  copy_source "$source"
  rm -f "$out"/{*.deb,*.rpm,*.tar.gz,build.log}
  # In this order, in one copy of the source: RPMs have the programs of the Debian packages.
  for part in deb rpm folder; do
    [[ ",$parts," == *",$part,"* ]] || continue
    say "release: $part"
    (cd "$source" && "packaging/make_$part" "$out") >>"$out/build.log" 2>&1 ||
      { tail -n 30 "$out/build.log" && die "$part cannot be built; all of it: $out/build.log"; }
  done
  say "release: contents"
  scripts/sbom.py "$out" "$version" >"$work/sbom.json"
  mv "$work/sbom.json" "$out/"
}

export LC_ALL=C.UTF-8 TZ=UTC
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
share_ccache
if [ -n "$releases" ]; then
  for release in ${releases//,/ }; do in_root "$release"; done
else
  here
fi
checksums
cat "$out/SHA256SUMS"
