#!/bin/bash
# Combines the local SSDs into one file system and mounts it, now and at every boot before Docker and slurmd start:
#   TYPE FOLDER PERMISSIONS
# Their content is lost when the machine stops, so a missing file system is created again.
set -euo pipefail

program=/usr/local/sbin/slipway-local-ssd
cat >"$program" <<'MOUNT'
#!/bin/bash
# Combines the local SSDs and mounts them: TYPE FOLDER PERMISSIONS. Run by slipway-local-ssd.service.
set -euo pipefail
type=$1 folder=$2 permissions=$3
label=localssd

if mountpoint --quiet "$folder"; then
  echo "$folder is mounted already"
  exit 0
fi

# The links appear when udev has seen the disks.
udevadm settle --timeout=30 2>/dev/null || true
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
MOUNT
chmod 0755 "$program"

cat >/etc/systemd/system/slipway-local-ssd.service <<UNIT
[Unit]
Description=Combine and mount the local SSDs
After=local-fs.target systemd-udev-trigger.service
Before=docker.service containerd.service slurmd.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=$program $1 "$2" $3

[Install]
WantedBy=multi-user.target
UNIT
# Docker may keep its containers there, and jobs their files: without the SSDs, neither starts.
for service in docker slurmd; do
  mkdir -p "/etc/systemd/system/$service.service.d"
  cat >"/etc/systemd/system/$service.service.d/local-ssd.conf" <<UNIT
[Unit]
Requires=slipway-local-ssd.service
After=slipway-local-ssd.service
RequiresMountsFor="$2"
UNIT
done
systemctl daemon-reload
systemctl enable slipway-local-ssd.service
# Again, if the service has run before, as in an image that was made from a machine with this script.
systemctl restart slipway-local-ssd.service
