# Exports folders of the machine's data disk over NFS, at every boot. NFS_EXPORTS has their paths, one a line.
# NFS_DISK and NFS_ROOT are other places in tests.
set -euo pipefail
disk=${NFS_DISK:-/dev/disk/by-id/google-attached_disk}
root=${NFS_ROOT:-/exports}
table=${NFS_TABLE:-/etc/exports.d/slipway.exports}

if command -v exportfs >/dev/null; then
  echo "the NFS server is installed already"
elif command -v dnf >/dev/null; then
  dnf install -y nfs-utils
elif command -v yum >/dev/null; then
  yum install -y nfs-utils
elif command -v apt-get >/dev/null; then
  export DEBIAN_FRONTEND=noninteractive
  apt-get update
  apt-get install -y nfs-kernel-server
else
  echo "the NFS server cannot be installed: this system has neither dnf, yum nor apt-get" >&2
  exit 1
fi

# A disk with data from an earlier server keeps it. blkid reports 2 for an empty one.
status=0
blkid "$disk" || status=$?
case $status in
0) ;;
2) mkfs.ext4 -q -m 0 "$disk" ;;
*)
  echo "$disk cannot be read" >&2
  exit 1
  ;;
esac
mkdir -p "$root" "$(dirname "$table")"
mountpoint --quiet "$root" || mount -o discard "$disk" "$root"
# The disk may have grown since the last boot.
resize2fs "$disk"

lines=
while IFS= read -r folder; do
  [ -n "$folder" ] || continue
  mkdir -p "$root$folder"
  # exports(5): quoted, a path may contain spaces.
  lines+="\"$root$folder\" *(rw,sync,no_subtree_check,no_root_squash)"$'\n'
done <<<"$NFS_EXPORTS"
printf '%s' "$lines" >"$table"
systemctl enable --now nfs-server
exportfs -ra
