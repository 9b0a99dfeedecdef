#!/usr/bin/env bash
# Builds the packages in a clean root, and tries them: the flags they were compiled with, what lintian and rpmlint say, a
# signature that gpg accepts; and on a clean system with Slurm: what a user without root gets from the archive, then install,
# describe the cluster, run jobs, upgrade below a job, remove, purge, with the files of the system compared before and after, and
# how long an administrator needs to the first verdict on a node. RPMs are compared with the Debian packages, file by file,
# installed and removed. The archive is built in the first RELEASE, and
# tried in each.
#
#   tests/packages.sh [OPTION...] [RELEASE...]   of Debian (default: this machine's); as root, with Debian's archive
#
#   --twice          builds a second time, with an empty compiler cache, and compares every byte; takes twice as long
#   --keep FOLDER    leaves the packages there, in FOLDER/RELEASE
#   --have FOLDER    tries the packages in FOLDER/RELEASE, as --keep has left them, and builds none
#   --from FOLDER    the upgrade is from the packages in FOLDER/RELEASE, such as those of an older commit (default: from those
#                    that were built to the same with another version)
#   --cache FOLDER   keeps the clean roots there, and uses those that are there already
#   --help           this text
#
# The last line is 'N passed, N failed'.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh

twice=false keep='' have='' from='' cache=''
while [[ "${1:-}" == -* ]]; do
  case $1 in
    --help) sed -n '/^set /q; s/^# \{0,1\}//p' tests/packages.sh | tail -n +2 && exit ;;
    --twice) twice=true ;;
    --keep | --have | --from | --cache)
      [ -n "${2:-}" ] || die "$1 takes a folder"
      mkdir -p "$2"
      declare "${1#--}=$(cd "$2" && pwd)"
      shift
      ;;
    *) die "unknown option $1; known: --twice, --keep, --have, --from, --cache, --help" ;;
  esac
  shift
done
[ "$(id -u)" -eq 0 ] || die "this needs root, for clean systems that are thrown away"
for program in gpg lintian rpm rpmlint; do
  command -v "$program" >/dev/null || die "this needs $program; as root: apt-get install gnupg lintian rpm rpmlint"
done
if [ $# -eq 0 ]; then
  . /etc/os-release
  set -- "${VERSION_CODENAME:-sid}"
fi

work=$(mktemp -d /var/tmp/slipway-packages.XXXXXX)
trap 'rm -rf --one-file-system "$work"' EXIT
passed=0
failed=0

# same WHAT GOT EXPECTED
same() {
  if [ "$2" = "$3" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAIL %s: %s\n  expected %s\n  got      %s\n' "$release" "$1" "$3" "$2"
  fi
}

# build: signed with a key that is thrown away
build() {
  export GNUPGHOME=$work/gnupg
  mkdir -m 700 "$GNUPGHOME"
  gpg --batch --quiet --passphrase '' --quick-gen-key 'Slipway test <test@localhost>' ed25519 sign 1d
  scripts/release.sh ${cache:+--cache "$cache"} --make "$parts" --sign test@localhost --in "$release" "$work/built"
  same "the signature" "$(gpg --batch --verify "$work/built/SHA256SUMS.asc" "$work/built/SHA256SUMS" 2>&1 | grep -c 'Good signature')" 1
  gpgconf --kill all
  if $twice; then
    mkdir "$work/ccache"
    CCACHE_DIR=$work/ccache scripts/release.sh ${cache:+--cache "$cache"} --make "$parts" --in "$release" "$work/again"
    same "the same bytes" "$(cat "$work/again/SHA256SUMS")" "$(cat "$work/built/SHA256SUMS")"
    rm -r "$work/again" "$work/ccache"
  fi
}

# check_contents: checksums, the SBOM, lintian, rpmlint, and how it was compiled
check_contents() {
  local program
  same "checksums" "$(cd "$packages" && sha256sum --check --quiet SHA256SUMS 2>&1)" ""
  same "packages" "$(find "$packages" -name '*.deb' | wc -l)" 5
  same "RPMs" "$(find "$packages" -name '*.rpm' | wc -l)" 5
  same "the SBOM has all of them" "$(grep -c '"packageFileName"' "$packages/sbom.json")" "$(find "$packages" -name '*.deb' -o -name '*.rpm' -o -name '*.tar.gz' | wc -l)"
  same "lintian" "$(lintian --no-tag-display-limit --fail-on none "$packages"/*.deb 2>&1 | grep '^[EW]:')" ""
  same "rpmlint" "$(rpmlint --config packaging/rpmlint.toml "$packages"/*.rpm 2>&1 | sed -n '/: [EW]: /p; s/^ *\([0-9]* packages and .* warnings\),.*/\1/p')" \
    "5 packages and 0 specfiles checked; 0 errors, 0 warnings"
  same "files of Debian packages and RPMs" "$(tests/compare_packages.py "$packages" | sed 's/, [0-9]* files$//')" "5 packages"
  for deb in "$packages"/*.deb; do dpkg-deb --extract "$deb" "$work/extracted"; done
  for program in bin/slipway bin/bandwidth_perf lib/slipway/spank/nccl_env.so; do
    same "hardening of $program" "$(hardening "$work/extracted/opt/slipway/$program")" "bind now,fortified,position independent,stack protector"
  done
  same "compilations with Debian's flags" "$(awk '/ -o [^ ]*\.o -c / { all++; if (/ -O2 / && / -fstack-protector-strong / && / -D_FORTIFY_SOURCE=[23] /) good++ }
    END { print (all > 50 && all == good ? "all" : good + 0 "/" all + 0) }' "$packages/build.log")" all
  same "files with a path of the build" "$(grep -rl /home/tester "$work/extracted")" ""
  rm -r "$work/extracted"
}

# check_archive: how large it is, and what its programs need
check_archive() {
  local program libraries newest
  same "bytes of the archive, below 12 MB: $(stat -c %s "$archive")" "$([ "$(stat -c %s "$archive")" -lt 12000000 ] && echo yes)" yes
  mkdir "$work/unpacked-archive"
  tar -C "$work/unpacked-archive" -xzf "$archive"
  same "the programs of the archive" "$(find "$work"/unpacked-archive/*/bin -type f -printf '%f\n' | sort | paste -sd ' ')" "bandwidth_perf slipway"
  for program in slipway bandwidth_perf; do
    program=$(echo "$work"/unpacked-archive/*/bin/"$program")
    libraries=$(readelf --dynamic --wide "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort | grep -v -x -e libc.so.6 -e libm.so.6 -e libresolv.so.2 -e ld-linux-x86-64.so.2 || true)
    same "libraries of ${program##*/} besides the C library's" "$libraries" ""
    newest=$(readelf --version-info --wide "$program" | grep -o 'GLIBC_[0-9.]*\|GLIBC_PRIVATE' | sort -V | tail -n 1)
    same "the newest version of the C library that ${program##*/} asks for: $newest" "$(printf '%s\nGLIBC_2.36\n' "$newest" | sort -V | tail -n 1)" GLIBC_2.36
    same "hardening of ${program##*/}" "$(hardening "$program")" "bind now,fortified,position independent,stack protector"
  done
  same "libraries for programs of users: NCCL's profiler plugin, and fast checkpoints" \
    "$(find "$work"/unpacked-archive/*/lib ! -type d -printf '%P\n' | sort | paste -sd ' ')" \
    "slipway/libslipway-checkpoints.so slipway/libslipway-checkpoints.so.1 slipway/nccl/libnccl-profiler-slipway.so"
  same "files of the archive with a path of the build" "$(grep -rl /home/tester "$work/unpacked-archive")" ""
  rm -r "$work/unpacked-archive"
}

# hardening PROGRAM: what can be seen of it in a program or library
hardening() {
  readelf --file-header --dynamic --dyn-syms --wide "$1" | awk '
    /Type: *DYN/ { found["position independent"] }
    /BIND_NOW|FLAGS.* NOW/ { found["bind now"] }
    /_chk@GLIBC/ { found["fortified"] }
    /__stack_chk_fail@GLIBC/ { found["stack protector"] }
    END { for (what in found) print what }' | sort | paste -sd ,
}

# newer DEB: the same package with a higher version and one changed file, as an upgrade brings it, into $work/newer
newer() {
  local folder=$work/unpacked/${1##*/}
  dpkg-deb --raw-extract "$1" "$folder"
  sed -i 's/^Version: .*/&+1/; s/(= \([^)]*\))/(= \1+1)/' "$folder/DEBIAN/control"
  find "$folder/opt" -name health.yaml -exec sh -c 'echo "# A newer line." >>"$1"' _ {} \;
  dpkg-deb -Zgzip -z1 --build --root-owner-group "$folder" "$work/newer/${1##*/}" >/dev/null
  rm -r "$folder"
}

# make_system FOLDER: a clean system with Slurm
make_system() {
  local with=systemd,munge,slurmctld,slurmd,slurm-client,man-db,bash-completion,logrotate,iproute2,procps,rpm kept
  kept=$cache/$release-slurm-$(sha256sum <<<"$with" | cut -c 1-8).tar
  if [ -n "$cache" ] && [ -e "$kept" ]; then
    mkdir "$1"
    tar -C "$1" --numeric-owner -xpf "$kept"
    return
  fi
  scripts/root.sh make "$release" "$1" --include="$with"
  [ -n "$cache" ] || return 0
  tar -C "$1" --numeric-owner -cpf "$kept.part" .
  mv "$kept.part" "$kept"
}

# try: installs, uses, upgrades and removes the packages, step by step; the network is there only where apt needs it
try() {
  local root=$work/system folder deb step
  say "packages: a clean $release with Slurm"
  make_system "$root"
  folder=$root/home/tester/slipway
  mkdir -p "$folder" "$work/newer" "$work/unpacked"
  for deb in "$packages"/*.deb; do newer "$deb"; done
  mkdir "$folder/one"
  cp "${from:-${packages%/*}}/$release"/*.deb "$folder/one/"
  mv "$work/newer" "$folder/two"
  cp tests/{packages_in_root.sh,slurm_in_root.bash,without_root.bash} tests/system/site_helper.bash "$archive" "$packages"/*.rpm "$folder/"
  for step in enter-alone:without_root enter:install enter-alone:use enter-alone:upgrade enter-alone:remove enter:purge boot:first_verdict enter-alone:rpms; do
    say "packages: ${step#*:}"
    scripts/root.sh "${step%:*}" "$root" bash packages_in_root.sh "${step#*:}" >>"$work/said" 2>>"$work/errors" || same "the step ${step#*:}" failed 'done'
  done
  rm -rf --one-file-system "$root"
}

# value WHAT: what the steps said of it
value() { sed -n "s/^$1: \{0,1\}//p" "$work/said"; }

# expect WHAT VALUE
expect() { same "$1" "$(value "$1")" "$2"; }

check_steps() {
  local units="slipway-admission.service disabled slipway-metrics.service disabled slipway-tell.service disabled slipway-transport.service enabled"
  expect "version without root" "$(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build)"
  expect "names without root" "all_gather_perf bandwidth_compare bandwidth_perf bandwidth_plot bandwidth_scan"
  expect "variables without root" "2 3"
  expect "preflight without root" 2
  expect "own values without root" "NCCL_NET=mine NCCL_NET=mine"
  expect "prepare without root" "Socket Socket"
  expect "bandwidth without root" 0
  expect "a slow node without root" "1 node: n4"
  expect "verdicts without root" 4
  expect "nodes after health" "4 idle"
  expect "a node lost without root" "done, 60 steps, 2 attempts"
  expect "changed without root" ""
  expect installed 5
  expect "in PATH" /usr/bin/slipway
  expect version "$(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build)"
  expect check 0
  expect explain 0
  expect "manual pages" 4
  expect completion 1
  expect logrotate 0
  expect units 0
  if [ -z "$from" ]; then expect "units at boot" "$units"; fi # an older commit may have fewer
  expect "folder for the time until the next boot" "755 root"
  expect "describe the cluster" 0
  expect "Slurm has the checks" 1
  expect "a job with the plugin" "0 show"
  expect "options of the plugins" "--auto-resume= --container-image= --health= --nccl-env="
  expect "a check before a job" prolog
  expect "a check between jobs" periodic
  expect "bandwidth in a job" 0
  expect "recorded" 0
  expect "history after the upgrade" same
  expect "records after the upgrade" 0
  expect upgraded 5
  expect "units after the upgrade" "$units"
  expect "a job through the upgrade" "JobState=COMPLETED, 60 steps, 2 attempts"
  expect "a job after the upgrade" "0 show"
  expect "a job after the restart" "0 show"
  expect undo 0
  expect "the removal names the lines" 1
  expect "history after the removal" same
  # Which units are enabled stays until the purge, too.
  expect "what the removal leaves" "/etc/logrotate.d/slipway-node /var/lib/slipway"
  expect "history after the purge" same
  expect "the purge says so" 1
  expect "left behind" ""
  same "the first verdict within two minutes: $(value "seconds to the first verdict") s" \
    "$(value "seconds to the first verdict" | awk '{ if ($1 > 0 && $1 < 120) print "yes" }')" yes
  expect "undo under systemd" 0
  expect "a job through these commands" "JobState=COMPLETED Restarts=0"
  expect "RPMs installed" 5
  expect "files that differ from the RPMs'" ""
  expect "files that the RPMs changed" 0
  expect "version from the RPM" "$(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build)"
  expect "the RPM's unit at boot" enabled
  expect "folder after the RPMs' upgrade" "755 root"
  expect "the unit after the RPMs' upgrade" enabled
  expect "the RPMs' removal names the lines" 1
  # The first is every RPM's, and belongs to a package of RHEL's.
  expect "what the RPMs leave" "/usr/share/licenses /var/lib/slipway /var/lib/slipway/history"
}

archive=''
for release in "$@"; do
  packages=$work/built/$release
  find "$work" -mindepth 1 -maxdepth 1 ! -name '*.tar.gz' -exec rm -rf {} +
  parts=deb,rpm
  if [ "$release" = "$1" ]; then parts=deb,rpm,folder; fi
  if [ -n "$have" ]; then packages=$have/$release; else build; fi
  if [ -n "$keep" ]; then
    rm -rf "${keep:?}/$release"
    cp -r "$packages" "$keep/"
  fi
  check_contents
  if [ -z "$archive" ]; then
    cp "$packages"/*.tar.gz "$work/"
    archive=$(echo "$work"/*.tar.gz)
    check_archive
  fi
  try
  cat "$work/said"
  before=$failed
  check_steps
  if [ "$failed" -gt "$before" ]; then cat "$work/errors"; fi
  find "$packages" -type f -printf '%s %f\n' | sort -k 2
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
