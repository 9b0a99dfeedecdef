#!/bin/bash
# Mounts a file system, now and at every boot: SERVER REMOTE FOLDER TYPE OPTIONS
set -euo pipefail
[ $# -eq 5 ] || { echo "usage: $0 SERVER REMOTE FOLDER TYPE OPTIONS" >&2; exit 2; }
server=$1 remote=$2 folder=$3 type=$4 options=${5:-defaults}

case $type in
gcsfuse)
  what=$remote # a bucket has no server
  # Without this only root could use the bucket.
  [[ ,$options, == *,allow_other,* ]] || options=$options,allow_other
  ;;
*) what=$server:/${remote#/} ;;
esac

if mountpoint --quiet "$folder"; then
  echo "$folder is mounted already"
  exit 0
fi
mkdir -p "$folder"

# One line for each folder in fstab: replace a former mount of this folder.
fstab=$(mktemp)
awk -v folder="$folder" '$0 ~ /^[[:space:]]*#/ || $2 != folder' /etc/fstab >"$fstab"
echo "$what $folder $type $options 0 0" >>"$fstab"
cat "$fstab" >/etc/fstab
rm "$fstab"
systemctl daemon-reload

# The server may be booting at the same time as this machine.
for attempt in 1 2 3 4 5 6; do
  if mount "$folder"; then
    echo "$what is mounted at $folder"
    exit 0
  fi
  echo "mounting $what failed, attempt $attempt" >&2
  sleep $((attempt * 5))
done
echo "$what cannot be mounted at $folder" >&2
exit 1
