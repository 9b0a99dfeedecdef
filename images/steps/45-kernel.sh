#!/usr/bin/env bash
# the kernel with support for GPUDirect-TCPX; other transports use the base's kernel
# needs: cloud

# shellcheck source=../apt.sh
. "${images_folder:?}/apt.sh"
# shellcheck source=../versions.sh
. "${images_folder:?}/versions.sh"
if [ "${kernel:?}" != -gcp-tcpx ]; then
  echo "    the base ${base:?} boots the kernel that ${transport:?} needs"
  exit 0
fi
# Canonical's archive is private. images/build.sh passes login, password and key; they do not stay in the image.
read -r login password key <<<"${tcpx_archive_login:-}" || true
if [ -z "$key" ]; then
  echo "tcpx_archive_login is not set: the kernel linux-gcp-tcpx needs a login, a password and the archive's key from Google" >&2
  exit 1
fi
login_file=/etc/apt/auth.conf.d/slipway-tcpx.conf
trap 'rm -f "$login_file" /etc/apt/sources.list.d/slipway-tcpx.list' EXIT
(umask 077 && mkdir -p /etc/apt/auth.conf.d && echo "machine $tcpx_archive login $login password $password" >"$login_file")
# The kernel is built for Ubuntu 22.04; on 24.04 it needs no other packages from there.
add_archive tcpx "$key_archive/pks/lookup?op=get&search=0x$key" "$tcpx_archive" jammy main
apt_install linux-gcp-tcpx
hold 'linux-*-gcp-tcpx'
# GRUB would boot a newer kernel without TCPX.
echo linux-base linux-base/removing-running-kernel boolean false | debconf-set-selections
mapfile -t others < <(dpkg-query --show --showformat '${db:Status-Abbrev}${Package}\n' 'linux-image-*' 'linux-gcp*' |
  sed -n 's/^.i //p' | grep -v tcpx)
if [ ${#others[@]} -gt 0 ]; then apt_get purge -y "${others[@]}"; fi
