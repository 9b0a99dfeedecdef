#!/bin/bash
# Mounts a Parallelstore instance with dfuse, now and at every boot:
#   SERVERS REMOTE FOLDER TYPE OPTIONS
# SERVERS are the access points, as "[10.0.0.2, 10.0.0.3]" or one address. OPTIONS are dfuse options without
# dashes, such as thread-count=16,eq-count=8; options of mount(8) are ignored. DAOS_AGENT_CONFIG can have
# lines for the agent's configuration, and DFUSE_ENVIRONMENT lines of NAME=VALUE.
set -euo pipefail
[ $# -eq 5 ] || { echo "usage: $0 SERVERS REMOTE FOLDER TYPE OPTIONS" >&2; exit 2; }
servers=$1 folder=$3
options=
IFS=, read -ra words <<<"$5"
for word in "${words[@]}"; do
  case $word in
  '' | defaults | _netdev) ;;
  *) options="$options --$word" ;;
  esac
done

case $servers in
\[*) ;;
*) servers="[$servers]" ;;
esac

mkdir -p /etc/daos
cat >/etc/daos/daos_agent.yml <<CONFIGURATION
access_points: $servers
transport_config:
  allow_insecure: true
${DAOS_AGENT_CONFIG-}
CONFIGURATION
systemctl enable daos_agent.service
systemctl restart daos_agent.service

# Let everyone use the mount, not only root.
if ! grep -q '^user_allow_other' /etc/fuse.conf 2>/dev/null; then
  echo user_allow_other >>/etc/fuse.conf
fi

mkdir -p "$folder"
unit="mount-daos$(systemd-escape -- "$folder").service"
{
  echo "[Unit]"
  echo "Description=Parallelstore at $folder"
  echo "After=network-online.target daos_agent.service"
  echo "Requires=daos_agent.service"
  echo "[Service]"
  while IFS= read -r line; do
    [ -z "$line" ] || echo "Environment=\"$line\""
  done <<<"${DFUSE_ENVIRONMENT-}"
  echo "ExecStart=/usr/bin/dfuse --foreground --multi-user$options $folder default-pool default-container"
  echo "ExecStop=/usr/bin/fusermount3 -u $folder"
  echo "Restart=on-failure"
  echo "RestartSec=10"
  echo "[Install]"
  echo "WantedBy=multi-user.target"
} >"/etc/systemd/system/$unit"
systemctl daemon-reload
systemctl enable "$unit"
systemctl restart "$unit"

for _ in $(seq 60); do
  mountpoint --quiet "$folder" && exit 0
  sleep 1
done
systemctl status --no-pager "$unit" >&2 || true
echo "Parallelstore cannot be mounted at $folder" >&2
exit 1
