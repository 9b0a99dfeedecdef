#!/bin/bash
# Makes this machine wait at every boot until all its network interfaces have an address. The service
# stays in images made from the machine. Waits now as well. Machines with one interface do not wait.
set -euo pipefail

cat >/usr/local/sbin/slipway-wait-for-networks <<'WAIT'
#!/bin/bash
# Waits until as many interfaces have an address as the machine was created with.
set -uo pipefail
metadata=http://metadata.google.internal/computeMetadata/v1/instance/network-interfaces/
deadline=$((SECONDS + 300))
wanted=
while [ "$SECONDS" -lt "$deadline" ]; do
  if [ -z "$wanted" ]; then
    wanted=$(curl -fsS -H 'Metadata-Flavor: Google' "$metadata" 2>/dev/null | grep -c .)
    [ "$wanted" -gt 0 ] || wanted=
  fi
  up=$(ip -brief address show scope global up |
    awk '$1 !~ /^(docker|veth|br-|virbr)/ && NF > 2' | grep -c .)
  if [ -n "$wanted" ] && [ "$up" -ge "$wanted" ]; then
    echo "$up network interfaces are up"
    exit 0
  fi
  sleep 1
done
echo "only ${up:-0} of ${wanted:-?} network interfaces are up after 300 seconds" >&2
exit 1
WAIT
chmod 0755 /usr/local/sbin/slipway-wait-for-networks

cat >/etc/systemd/system/slipway-wait-for-networks.service <<'UNIT'
[Unit]
Description=Wait for all network interfaces of a GPU machine
After=network.target
Before=network-online.target slurmd.service

[Service]
Type=oneshot
RemainAfterExit=yes
TimeoutStartSec=330
ExecStart=/usr/local/sbin/slipway-wait-for-networks

[Install]
WantedBy=network-online.target
UNIT
systemctl daemon-reload
systemctl enable --now slipway-wait-for-networks.service
