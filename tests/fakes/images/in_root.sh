#!/bin/bash
# Runs a command in a root, with a network that ends at servers.py: in_root.sh ROOT FOLDER SOCKET COMMAND...
#
# ROOT is the top of its own file system there, as Docker wants, with /proc, /sys, /dev and folders for Docker that are no
# overlay. FOLDER has the archives and the registry. COMMAND sees the recipe's sources in /recipe.
set -euo pipefail
if [ "${1:-}" != --inside ]; then
  exec unshare --mount --pid --net --ipc --uts --cgroup --fork --kill-child --propagation private "$0" --inside "$@"
fi
shift
root=$1 folder=$2 socket=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)

ip link set lo up
# In a mount namespace of their own: they keep this machine's root.
unshare --mount python3 -B "$here/servers.py" inside "$folder" "$socket" &
mountpoint -q "$root" || mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/run"
mount -t tmpfs tmpfs "$root/tmp"
mkdir -p "$root/recipe" "$root/var/lib/docker" "$root/var/lib/containerd" "$root/mnt/old" "$folder/docker" "$folder/containerd"
mount --bind -o ro "$here/../../.." "$root/recipe"
mount --bind "$folder/docker" "$root/var/lib/docker"
mount --bind "$folder/containerd" "$root/var/lib/containerd"
cat >"$root/etc/apt/apt.conf.d/99tests" <<'APT'
Acquire::http::Proxy "http://127.0.0.1:3142";
Acquire::http::Proxy::127.0.0.1 "DIRECT";
Acquire::Check-Valid-Until "false";
APT
# These roots never boot, and nothing is lost with them.
echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/99tests"
if [ -d "$root/etc/initramfs-tools" ]; then echo update_initramfs=no >"$root/etc/initramfs-tools/update-initramfs.conf"; fi
export nvidia_archive=http://127.0.0.1:8080/nvidia google_archive=http://127.0.0.1:8080/google
export artifact_archive=http://127.0.0.1:8080/artifact registry_mirror=127.0.0.1:5000
for _ in $(seq 100); do
  (: </dev/tcp/127.0.0.1/3142) 2>/dev/null && break
  sleep 0.05
done
cd "$root"
pivot_root . mnt/old
cd /
umount -l /mnt/old
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "$@"
