#!/bin/bash
# Combines the local SSDs into one file system and mounts it: TYPE FOLDER PERMISSIONS.
# Their content is lost when the machine stops, so a missing file system is created again.
set -euo pipefail
type=$1 folder=$2 permissions=$3
label=localssd

if mountpoint --quiet "$folder"; then
  echo "$folder is mounted already"
  exit 0
fi

shopt -s nullglob
devices=()
for device in /dev/disk/by-id/google-local-nvme-ssd-* /dev/disk/by-id/google-local-ssd-*; do
  [[ $device == *-part* ]] || devices+=("$(readlink -f "$device")")
done
if [ ${#devices[@]} -eq 0 ]; then
  echo "this machine has no local SSD"
  exit 0
fi

if [ ${#devices[@]} -eq 1 ]; then
  target=${devices[0]}
else
  target=/dev/md/$label
  if ! command -v mdadm >/dev/null; then
    if command -v apt-get >/dev/null; then
      export DEBIAN_FRONTEND=noninteractive
      apt-get update
      apt-get install -y mdadm
    else
      dnf install -y mdadm
    fi
  fi
  # After a reboot the array exists, or its members do.
  mdadm --assemble --scan 2>/dev/null || true
  if [ ! -e "$target" ]; then
    mdadm --create "$target" --name="$label" --homehost=any --level=0 --force --run \
      --raid-devices=${#devices[@]} "${devices[@]}"
  fi
fi

target=$(readlink -f "$target")
if [ "$(blkid -o value -s TYPE "$target" || true)" != "$type" ]; then
  case $type in
  ext4) mkfs.ext4 -q -F -m 0 -L "$label" -E lazy_itable_init=1,lazy_journal_init=1 "$target" ;;
  xfs) mkfs.xfs -q -f -L "$label" "$target" ;;
  *) "mkfs.$type" "$target" ;;
  esac
fi
mkdir -p "$folder"
mount -t "$type" -o defaults,discard "$target" "$folder"
chmod "$permissions" "$folder"
echo "${#devices[@]} local SSDs are mounted at $folder"
