#!/usr/bin/env bash
# removes machine identities and files that no machine needs
# needs: nothing

rm -f /etc/munge/munge.key /etc/ssh/ssh_host_*
# Empty, not removed: systemd generates a new one at the first boot.
: >/etc/machine-id
rm -f /var/lib/dbus/machine-id
apt-get clean
rm -rf /var/lib/apt/lists/* /var/log/slurm /tmp/slipway-*
