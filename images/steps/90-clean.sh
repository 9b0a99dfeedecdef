#!/usr/bin/env bash
# what no two machines may share, and what none needs
# needs: nothing

rm -f /etc/munge/munge.key /etc/ssh/ssh_host_*
# Empty, not gone: systemd makes a new one at the first start.
: >/etc/machine-id
rm -f /var/lib/dbus/machine-id
apt-get clean
rm -rf /var/lib/apt/lists/* /var/log/slurm /tmp/slipway-*
