#!/usr/bin/env bash
# Makes clean root file systems of Debian releases, and runs commands in them, in namespaces of their own: for
# tests/distributions.sh, tests/packages.sh and scripts/release.sh. Needs root; `make` also mmdebstrap and Debian's archive.
#
#   scripts/root.sh make RELEASE ROOT [option of mmdebstrap...]   a minimal system in the folder ROOT
#   scripts/root.sh enter ROOT COMMAND...         runs a command in ROOT's folder /home/tester/slipway, with this machine's network
#   scripts/root.sh enter-alone ROOT COMMAND...   the same with a network of its own
#   scripts/root.sh boot ROOT COMMAND...          the same beside a systemd that has booted ROOT
#   scripts/root.sh --help                        this text
#
# $SLIPWAY_MIRROR is the archive's mirror; without it, that of this machine; `none` leaves the choice to mmdebstrap, which knows
# those of Debian and Ubuntu by the release. If $CCACHE_DIR is a folder, commands share it.
set -euo pipefail

die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# Where commands run: the source, if it is there
source_in_root=/home/tester/slipway

# The mirror of this machine's apt, or nothing: then mmdebstrap knows one.
mirror_of_host() {
  # shellcheck disable=SC2016  # for apt
  apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    sed -n 's/^Debian //p' | sort -u | head -n 1
}

# make RELEASE ROOT [option...]
make() {
  local release=$1 root=$2 mirror
  shift 2
  mirror=${SLIPWAY_MIRROR:-$(mirror_of_host)}
  [ "$mirror" != none ] || mirror=
  # A mirror may be some weeks old, for which sid's lists of packages are too old to be trusted otherwise.
  mmdebstrap --quiet --variant=minbase --format=directory --aptopt='Acquire::Check-Valid-Until "false"' "$@" \
    --include=ca-certificates "$release" "$root" ${mirror:+"$mirror"}
  printf '127.0.0.1 localhost\n::1 localhost\n' >"$root/etc/hosts"
  # No daemon of a package starts by itself.
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
  chmod 755 "$root/usr/sbin/policy-rc.d"
}

# inside ROOT COMMAND...: makes ROOT the root of the namespaces that it is called in. Not by chroot, which `deploy` refuses.
inside() {
  local root=$1 device
  shift
  mount --bind "$root" "$root"
  mount -t proc proc "$root/proc"
  mount -t sysfs sysfs "$root/sys"
  mount -t tmpfs -o mode=755 dev "$root/dev"
  # Not in every container. Everybody may open it on a machine with udev, and jobs mount the images of their containers by it.
  if [ -e /dev/fuse ]; then mknod -m 0666 "$root/dev/fuse" c "0x$(stat -c %t /dev/fuse)" "0x$(stat -c %T /dev/fuse)"; fi
  for device in null zero full random urandom tty kmsg; do
    [ -e "/dev/$device" ] || continue # kmsg is not in every container; tests read the kernel's log
    touch "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
  done
  mkdir "$root/dev/pts" "$root/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts "$root/dev/pts"
  mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
  ln -s pts/ptmx "$root/dev/ptmx"
  ln -s /proc/self/fd "$root/dev/fd"
  mount -t tmpfs -o mode=755 run "$root/run"
  mkdir "$root/run/systemd" # without it, systemd-analyze can read units as root only
  if [ -d "${CCACHE_DIR:-}" ]; then
    mkdir -p "$root$CCACHE_DIR"
    mount --bind "$CCACHE_DIR" "$root$CCACHE_DIR"
  fi
  hostname "${root##*/}"
  cd "$root"
  pivot_root . .
  umount -l .
  cd "$source_in_root"
  export HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
  ip link set lo up 2>/dev/null || true # the network of this machine is up already
  # Not by exec: this shell is process 1 of the namespace, and ends the zombies of others.
  "$@"
}

# systemd: as process 1 of the namespaces of `inside`
systemd() {
  mkdir -p /sys/fs/cgroup
  mount -t cgroup2 cgroup /sys/fs/cgroup
  rm -rf /run/systemd
  export container=other
  exec /lib/systemd/systemd --unit=multi-user.target --log-target=null
}

# boot ROOT COMMAND...: systemd gets a control group of its own, below which it makes others
boot() {
  local root=$1 group first status=0 end=$((SECONDS + 120)) state
  shift
  group=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)/slipway-boot-$$
  mkdir -p "$root$source_in_root" "$group"
  # shellcheck disable=SC2016  # for the shell in the group
  sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" \
    unshare --net --mount --pid --fork --ipc --uts --cgroup --kill-child --propagation private -- "$0" inside "$root" systemd \
    </dev/null >/dev/null 2>&1 &
  # shellcheck disable=SC2064  # as they are now
  trap "end_boot $! '$group' 2>/dev/null" EXIT
  while
    first=$(pgrep -P $!) && state=$(beside "$first" systemctl is-system-running 2>/dev/null)
    [[ "${state:-}" != running && "${state:-}" != degraded ]]
  do
    [ $SECONDS -lt $end ] || die "systemd does not boot $root"
    sleep 0.2
  done
  beside "$first" "$@" || status=$?
  exit "$status"
}

# end_boot PROCESS GROUP: with systemd, the kernel ends all others of its namespace, which takes a moment
end_boot() {
  kill -KILL "$1"
  wait "$1" || true
  for _ in {1..100}; do
    find "$2" -depth -type d -exec rmdir {} + && break
    sleep 0.1
  done
}

# beside PROCESS COMMAND...: in its namespaces
beside() {
  local process=$1
  shift
  # shellcheck disable=SC2016  # for the shell in there
  nsenter --target "$process" --mount --pid --net --ipc --uts --cgroup --root --wd -- \
    env HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin sh -c 'cd "$0" && exec "$@"' "$source_in_root" "$@"
}

# enter ROOT COMMAND...
enter() {
  mkdir -p "$1$source_in_root"
  cp --dereference --remove-destination /etc/resolv.conf "$1/etc/resolv.conf"
  exec unshare --mount --pid --fork --ipc --uts --kill-child --propagation private -- "$0" inside "$@"
}

case "${1:---help}" in
  --help) sed -n '/^set /q; s/^# \{0,1\}//p' "$0" | tail -n +2 && exit ;;
  make | enter | enter-alone | boot | inside) ;;
  *) die "unknown command $1; known: make, enter, enter-alone, boot, --help" ;;
esac
[ "$(id -u)" -eq 0 ] || die "only root can make and enter another root file system; run it with sudo"
[ $# -ge 3 ] || die "$1 takes at least two arguments"
case $1 in
  make) command -v mmdebstrap >/dev/null || die "this needs mmdebstrap; as root: apt-get install mmdebstrap" ;;
  enter-alone) exec unshare --net -- "$0" enter "${@:2}" ;;
esac
"$@"
