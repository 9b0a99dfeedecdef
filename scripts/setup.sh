# shellcheck shell=bash
# Shared by quickstart.sh and test.sh: installs packages and builds. Source it from the top of the tree.

say() { printf '\n==> %s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "this needs root, and there is no sudo; as root: $*"
  fi
}

# listed_packages [all|packages]: the packages that quickstart.sh needs; with `all` also those that only test.sh needs, with
# `packages` those of test.sh --packages, too.
listed_packages() {
  awk -v what="${1:-}" '
    /^# for test.sh alone/ && what == "" { exit }
    /^# for test.sh --packages/ && what != "packages" { exit }
    { sub(/#.*/, "") } NF' packages.debian
}

# is_available PACKAGE: in the package lists that apt has at the moment. Of a name that other packages only mention, apt 3
# shows nothing, with status 0.
is_available() { [ -n "$(apt-cache show --no-all-versions "$1" 2>/dev/null)" ]; }

# missing_packages [all|packages]: of each line that no installed package satisfies, the name to install
missing_packages() {
  local line name names installed
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p')
  while read -r line; do
    read -ra names <<<"${line//[|?]/ }"
    for name in "${names[@]}"; do
      if [[ $'\n'$installed$'\n' == *$'\n'$name$'\n'* ]]; then continue 2; fi
    done
    for name in "${names[@]}"; do
      if is_available "$name"; then echo "$name" && continue 2; fi
    done
    # apt says that it does not know this one.
    if [[ $line != *"?" ]]; then echo "${names[0]}"; fi
  done < <(listed_packages "$@")
}

# install_packages [all|packages]: installs the packages in packages.debian that are missing. Needs neither network nor root
# if none are.
install_packages() {
  command -v dpkg-query >/dev/null || die "this is not a Debian system; install by hand what packages.debian lists"
  local missing
  if [ -z "$(missing_packages "$@")" ]; then
    say "packages: all are installed"
    return
  fi
  as_root apt-get update -qq
  mapfile -t missing < <(missing_packages "$@") # by the names of this release
  say "packages: installing ${missing[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# open_fuse [DEVICE]: lets users mount the images of their containers. Where udev runs, the package fuse3 does the same;
# machines without udev, such as many containers, keep the device for root. What cannot be done is only said: the rest works
# without.
open_fuse() {
  local device=${1:-/dev/fuse}
  if [ ! -e "$device" ]; then
    say "containers: there is no $device, so jobs here cannot use --container-image; as root: modprobe fuse"
  elif [ "$(stat -c %a "$device")" = 666 ]; then
    return
  elif [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
    say "containers: not everybody may open $device, so jobs here cannot use --container-image; as root: chmod 0666 $device"
  else
    say "containers: chmod 0666 $device, with which users mount the images of their jobs"
    as_root chmod 0666 "$device" || say "containers: that failed, so users' jobs here cannot use --container-image"
  fi
}

# option_of FOLDER NAME: an option of a configured build folder: prefix, tests
option_of() {
  python3 -c 'import json, sys
print(next(option["value"] for option in json.load(sys.stdin) if option["name"] == sys.argv[1]))' "$2" \
    <"$1/meson-info/intro-buildoptions.json"
}

# adopt FOLDER: makes a folder that was configured by hand install to FOLDER/prefix, where the scripts and the system
# tests look for it, and not to /usr/local.
adopt() {
  local folder=$1 ours="$PWD/$1/prefix" prefix
  prefix=$(option_of "$folder" prefix) || die "$folder/ is not a build folder that meson $(meson --version) can read; remove it"
  [ "$prefix" != "$ours" ] || return 0
  say "build: $folder/ was configured to install to $prefix; from now on it installs to $folder/prefix"
  meson configure "$folder" --prefix="$ours"
}

# configure FOLDER [meson option...]: once, to compile several files as one (a third of the time of a whole build), without
# debug information, and to install to FOLDER/prefix.
configure() {
  local folder=$1
  shift
  say "build: $folder"
  if [ -e "$folder/build.ninja" ]; then
    adopt "$folder"
  else
    meson setup "$folder" --prefix="$PWD/$folder/prefix" -Dunity=on -Dunity_size=48 -Ddebug=false "$@"
  fi
}

# build_into FOLDER [meson option...]: configures, compiles and installs. If $left_out is a suite of tests, the programs that
# only its tests run are not compiled.
build_into() {
  local folder=$1 files=
  configure "$@"
  [ -z "${left_out:-}" ] || files=$(tests/sanitizers/needed.py "$folder" --without "$left_out")
  mapfile -t files < <(printf %s "$files")
  ninja -C "$folder" "${files[@]}"
  meson install -C "$folder" --no-rebuild --only-changed --quiet
}

# seldom_collected: the option with which g++ collects garbage only once it has taken 1 GB, which saves a twelfth of its
# time. Only where each compiler that ninja starts can have 2 GB; by itself, g++ begins at 128 MB.
seldom_collected() {
  local memory # KiB
  memory=$(awk '/^MemTotal:/ { print $2 }' /proc/meminfo)
  [ $((memory / ($(nproc) + 2))) -ge 2000000 ] || return 0
  if "${CXX:-c++}" --version 2>/dev/null | grep -q "Free Software Foundation"; then echo --param=ggc-min-heapsize=1000000; fi
}

# share_ccache: exports what builds in other roots need to share this machine's compiler cache; they have another home folder, and so
# another configuration
share_ccache() {
  command -v ccache >/dev/null || return 0
  CCACHE_DIR=$(ccache -k cache_dir) CCACHE_MAXSIZE=$(ccache -k max_size)
  export CCACHE_DIR CCACHE_MAXSIZE CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
}

# build_slipway [tests [SUITE]]: the build that people use and that the tests test. Without `tests`, tests are not compiled
# unless they were before, and those of the suite `sanitized` never; with SUITE, those of this suite are not. Warnings are errors only with the compiler that we
# develop with: a newer compiler's new warning should not stop a newcomer. -O1 compiles in three quarters of the time of
# -O2. Images of nodes get -O2 (images/steps/80-slipway.sh).
build_slipway() {
  local werror=false tests=false left_out=${2:-} options
  [ "${1:-}" = tests ] || left_out=sanitized
  [ "$(g++ -dumpversion)" = 12 ] && werror=true
  [ "${1:-}" = tests ] && tests=true
  if $tests && [ -e build/build.ninja ]; then meson configure build -Dtests=true; fi
  options="${CXXFLAGS:-} $(seldom_collected)"
  build_into build -Dwerror=$werror -Doptimization=1 -Dtests=$tests -Dcpp_args="$options"
}
