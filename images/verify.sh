#!/usr/bin/env bash
# Fails unless the image in a root folder has what it needs: images/verify.sh [ROOT]
#
# What it needs is in the file requirements. The step verify runs this with the properties of the image, as install.sh sets
# them: transport, base, containers, system, release, architecture, kernel, driver, and steps_of_image.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=${1:-/}
root=${root%/}
missing=0
count=0

# fault WHAT: reported, and the rest is checked as well
fault() {
  echo "    missing: $*" >&2
  missing=$((missing + 1))
}

# applies WHEN: whether the tags fit this image
applies() {
  local word
  for word in ${1//+/ }; do
    case $word in
      all | "${transport:?}" | "${system:?}" | "${architecture:?}") ;;
      pyxis) [ "${containers:-slipway}" = pyxis ] || return 1 ;;
      gpu) [ "${driver:?}" != none ] || return 1 ;;
      *) return 1 ;;
    esac
  done
}

# first PATTERN: the first file in the root that the pattern matches
first() { compgen -G "$root$1" | head -n 1; }

program() {
  local folder
  if [[ $1 == /* ]]; then [ -x "$root$1" ] && return || return 1; fi
  for folder in /usr/bin /usr/sbin /usr/local/bin /usr/local/sbin /sbin /bin; do
    if [ -x "$root$folder/$1" ] && [ ! -d "$root$folder/$1" ]; then return; fi
  done
  return 1
}

unit_file() {
  local folder
  for folder in /etc/systemd/system /usr/lib/systemd/system /lib/systemd/system; do
    if [ -e "$root$folder/$1" ]; then echo "$root$folder/$1" && return; fi
  done
  return 1
}

# A unit starts at boot if another one wants it, which is a link in a folder *.wants or *.requires.
enabled() {
  unit_file "$1" >/dev/null && [ -d "$root/etc/systemd/system" ] && [ -n "$(find "$root/etc/systemd/system" -path "*.wants/$1" -o -path "*.requires/$1")" ]
}

# GRUB boots the newest kernel, unless its settings name another one.
find_boot_kernel() {
  boot_kernel=$({ find "$root/boot" -maxdepth 1 -name 'vmlinuz-*' -printf '%f\n' 2>/dev/null || true; } |
    sed 's/^vmlinuz-//' | sort -V | tail -n 1)
}

check_boot_kernel() {
  if grep -qsE '^GRUB_DEFAULT=' "$root/etc/default/grub" && ! grep -qE '^GRUB_DEFAULT="?0"?$' "$root/etc/default/grub"; then
    fault "GRUB_DEFAULT=0 in /etc/default/grub, with which GRUB boots the newest kernel, $boot_kernel"
  fi
  case $boot_kernel in
    '') fault "a kernel in /boot" ;;
    *[0-9]"${kernel:?}") ;;
    *) fault "a kernel *$kernel: $boot_kernel is the newest, which boots" ;;
  esac
}

check() {
  local kind=$1 what=$2 step=$3
  case $kind in
    program) program "$what" || fault "the program $what (step $step)" ;;
    file) [ -s "$(first "$what")" ] || fault "the file $what, or it is empty (step $step)" ;;
    unit) unit_file "$what" >/dev/null || fault "the unit $what (step $step)" ;;
    enabled) enabled "$what" || fault "the unit $what, or it is not enabled (step $step)" ;;
    module)
      modinfo --basedir "${root:-/}" --set-version "$boot_kernel" --field filename "$what" >/dev/null 2>&1 ||
        fault "the module $what of the kernel $boot_kernel, which boots (step $step)"
      ;;
    *) fault "the kind \`$kind\` of a requirement, in the file requirements" ;;
  esac
}

# value KEY: of /etc/os-release
value() { sed -nE "s/^$1=\"?([^\"]*)\"?\$/\1/p" "$root/etc/os-release"; }

find_boot_kernel
# In an image for the cloud, the base must be the one that the options name.
if [[ ${steps_of_image:?} == *" driver "* ]]; then
  if [ "$(value ID) $(value VERSION_CODENAME)" != "${system:?} ${release:?}" ]; then
    fault "the base ${base:?}: this system is $(value PRETTY_NAME), not $system $release"
  fi
  check_boot_kernel
fi
while read -r when step kind what; do
  case $when in '' | '#'*) continue ;; esac
  if [[ $steps_of_image != *" $step "* ]] || ! applies "$when"; then continue; fi
  count=$((count + 1))
  check "$kind" "$what" "$step"
done <"$here/requirements"
[ "$count" -gt 0 ] || fault "any requirement, in the file requirements"
if [ "$missing" -gt 0 ]; then
  echo "the image is not complete: $missing missing" >&2
  exit 1
fi
echo "    $count requirements are met${boot_kernel:+; the kernel $boot_kernel boots}"
