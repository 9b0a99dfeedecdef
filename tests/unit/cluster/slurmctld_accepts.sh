#!/bin/bash
# Starts a real slurmctld on Slurm's files for a moment, in its own namespaces:
#   slurmctld_accepts.sh WRITER [ARGUMENT...]
# `WRITER ARGUMENT... FOLDER` writes the files, with FOLDER for every path in them. slurmctld must come up as the
# controller without an error.
set -eu
PATH=$PATH:/usr/sbin # which users' PATH lacks

# slurmctld calls setgroups, which a user namespace allows only with a mapped range of ids.
namespaces=(unshare --net --mount --uts --pid --fork --kill-child)
[ "$(id -u)" = 0 ] || namespaces+=(--user --map-root-user --map-auto)
if ! command -v slurmctld >/dev/null || ! "${namespaces[@]}" true; then
  echo "skipped: this needs slurmctld, and namespaces with a range of ids (uidmap, /etc/subuid)"
  exit 77
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/state"
"$@" "$folder"

# In the namespaces: makes names resolvable (Slurm asks only for addresses of a family that some interface has), then
# runs slurmctld until it reports that it is the controller.
export folder
"${namespaces[@]}" bash -eu <<'EOF'
controller=$(sed -n 's/^SlurmctldHost=//p' "$folder/slurm.conf")
hostname "$controller"
ip link set lo up
ip link add vpc0 type bridge
ip address add 10.0.0.1/16 dev vpc0
ip link set vpc0 up
{
  echo "127.0.0.1 localhost"
  echo "10.0.0.1 $controller"
  at=2
  for names in $(sed -n 's/^NodeName=\([^ ]*\).*/\1/p' "$folder/slurm.conf"); do
    for name in $(SLURM_CONF=$folder/slurm.conf scontrol show hostnames "$names"); do
      echo "10.0.$((at / 250)).$((at++ % 250 + 2)) $name"
    done
  done
} >"$folder/hosts"
mount --bind "$folder/hosts" /etc/hosts
# Since 24.11, slurmctld does not start without munged.
mount -t tmpfs -o mode=755 tmpfs /run
mkdir /run/munge
head -c 1024 /dev/urandom >"$folder/munge.key"
chmod 600 "$folder/munge.key"
munged --force --key-file="$folder/munge.key" --seed-file="$folder/munge.seed" --log-file="$folder/munged.log" 2>/dev/null
slurmctld -D -f "$folder/slurm.conf" >"$folder/out" 2>&1 &
for _ in $(seq 1200); do
  grep -q "Running as primary controller" "$folder/slurmctld.log" 2>/dev/null && break
  kill -0 $! 2>/dev/null || break
  sleep 0.05
done
kill -INT $! 2>/dev/null || true
wait $! || true
EOF

log=$folder/slurmctld.log
failed=0
expect() {
  grep -q "$1" "$log" 2>/dev/null || { echo "slurmctld did not log: $1"; failed=1; }
}
expect "Running as primary controller"
# A first start finds no earlier state, and on a busy machine slurmctld complains about slow calls. Its warning about
# PrologFlags=Contain is for pam_slurm_adopt, which nodes in namespaces do not have. 24.11 says that it always does what
# older releases need NoAddrCache for. Every other error is ours.
if grep -E "error:|fatal:" "$log" | grep -v -i -E "state file|state save file|gettimeofday|please ignore error|NoAddrCache.*defunct"; then
  echo "slurmctld found errors"
  failed=1
fi
[ $failed = 0 ] || cat "$folder/out"
exit $failed
