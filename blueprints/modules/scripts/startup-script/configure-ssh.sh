#!/bin/bash
# Lets users reach other machines of the cluster by SSH: PATTERN… matches their names or addresses. Each
# user gets a key at first login; with a shared /home it works on all machines.
set -euo pipefail

mkdir -p /etc/ssh/ssh_config.d
{
  echo "Host $*"
  # Machines are recreated, with new host keys each time.
  echo "    StrictHostKeyChecking no"
  echo "    UserKnownHostsFile /dev/null"
  echo "    LogLevel ERROR"
  echo "    IdentityFile ~/.ssh/slipway_cluster"
} >/etc/ssh/ssh_config.d/50-cluster.conf
if ! grep -Eq '^[[:space:]]*Include[[:space:]]+/etc/ssh/ssh_config.d/' /etc/ssh/ssh_config; then
  sed -i '1i Include /etc/ssh/ssh_config.d/*.conf' /etc/ssh/ssh_config
fi

cat >/etc/profile.d/slipway-cluster-key.sh <<'PROFILE'
# A key for the other machines of the cluster, generated at a user's first login.
if [ "$(id -u)" -ge 1000 ] && [ -w "$HOME" ] && [ ! -e "$HOME/.ssh/slipway_cluster" ]; then
  mkdir -p -m 0700 "$HOME/.ssh"
  if ssh-keygen -q -t ed25519 -N '' -C 'slipway cluster' -f "$HOME/.ssh/slipway_cluster"; then
    cat "$HOME/.ssh/slipway_cluster.pub" >>"$HOME/.ssh/authorized_keys"
    chmod 0600 "$HOME/.ssh/authorized_keys"
  fi
fi
PROFILE
chmod 0644 /etc/profile.d/slipway-cluster-key.sh
