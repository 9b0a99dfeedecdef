#!/bin/bash
# A controller and a node of different releases, each in its root: two_releases.sh CONTROLLER NODE CONF NAME
#
# CONTROLLER and NODE are roots with Slurm; CONF is a folder with Slurm's files for both, and NAME the node in them. They get
# namespaces, with a network of their own. When the node is idle, jobs are submitted from
# both roots, and what became of them is printed; if it does not become idle, both logs.
set -euo pipefail
if [ "${1:-}" != --inside ]; then
  exec unshare --mount --pid --net --ipc --fork --kill-child --mount-proc --propagation private "$0" --inside "$@"
fi
shift
declare -A roots=([controller]=$1 [node]=$2)
conf=$3 name=$4
host=$(sed -n 's/^SlurmctldHost=\([^(]*\).*/\1/p' "$conf/slurm.conf")
ip link set lo up
# Slurm asks only for addresses of a family that some interface has.
ip link add vpc0 type bridge
ip address add 10.0.0.1/24 dev vpc0
ip address add 10.0.0.2/24 dev vpc0
ip link set vpc0 up

in_root() {
  local who=$1
  shift
  # shellcheck disable=SC2016  # expanded inside
  unshare --uts sh -c 'hostname "$1" && root=$2 && shift 2 && exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "$@"' \
    sh "$([ "$who" = controller ] && echo "$host" || echo "$name")" "${roots[$who]}" "$@"
}

# log WHO: what its daemon said
log() { cat "${roots[$1]}/var/log/slurm/daemon.log" 2>/dev/null; }

for who in controller node; do
  root=${roots[$who]}
  mount -t proc proc "$root/proc"
  mount --rbind /sys "$root/sys"
  mount --rbind /dev "$root/dev"
  mount -t tmpfs tmpfs "$root/run"
  printf '127.0.0.1 localhost\n10.0.0.1 %s\n10.0.0.2 %s\n' "$host" "$name" >"$root/etc/hosts"
  mkdir -p "$root/etc/slurm" "$root/var/spool/slurmd"
  cp "$conf"/* "$root/etc/slurm/"
  in_root "$who" install -d -o slurm -g slurm /var/log/slurm /var/spool/slurmctld
  # One key for both.
  printf '%032d' 7 >"$root/etc/munge/munge.key"
  in_root "$who" install -d -o munge -g munge /run/munge
  in_root "$who" chown munge: /etc/munge/munge.key
  chmod 400 "$root/etc/munge/munge.key"
  in_root "$who" setpriv --reuid=munge --regid=munge --clear-groups munged
done
in_root controller slurmctld -D >"${roots[controller]}/var/log/slurm/daemon.log" 2>&1 &
in_root node slurmd -D -N "$name" >"${roots[node]}/var/log/slurm/daemon.log" 2>&1 &

for _ in $(seq 240); do
  state=$(in_root controller sinfo --noheader --nodes="$name" --format=%T 2>/dev/null) || true
  [ "$state" != idle ] || break
  sleep 0.25
done
if [ "$state" != idle ]; then
  echo "the node is ${state:-not known}"
  for who in controller node; do
    echo "--- $who" && log "$who"
  done
  exit 1
fi
for who in controller node; do
  echo "$who: $(in_root "$who" slurmd -V)"
done
# shellcheck disable=SC2016  # expanded on the node
for who in controller node; do
  echo "srun of $who: $(in_root "$who" timeout 60 srun sh -c '. /etc/os-release; echo "$VERSION_CODENAME $(slurmd -V)"')"
done
for who in controller node; do
  printf '#!/bin/sh\nsrun true && srun sh -c "exit 7"\n' >"${roots[$who]}/job"
  code=0
  in_root "$who" timeout 60 sbatch --wait --quiet --output=/dev/null /job || code=$?
  echo "sbatch of $who: two steps, exit code $code"
done
