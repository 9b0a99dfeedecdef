#!/usr/bin/env bash
# Slurm, munge and a database for Slurm's accounting; their daemons are started at boot
# needs: nothing

# shellcheck source=../apt.sh
. "${images_folder:?}/apt.sh"
# Daemons would fail without a configuration, and nothing should start in the root of an image.
if [ ! -e /usr/sbin/policy-rc.d ]; then
  printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
  chmod 755 /usr/sbin/policy-rc.d
  trap 'rm -f /usr/sbin/policy-rc.d' EXIT
fi
apt_install munge slurm-client slurmctld slurmd slurmdbd mariadb-server-core
# With `enable_slurm_auth`, login nodes need sackd, which Slurm has since 24.05.
if apt-cache show sackd >/dev/null 2>&1; then
  apt_install sackd
  systemctl --root=/ disable sackd.service 2>/dev/null
fi
# `slipway node boot` starts them once it has written their configuration.
systemctl --root=/ disable munge.service slurmctld.service slurmd.service slurmdbd.service 2>/dev/null
# Debian's units leave a daemon that was killed, for want of memory for example, at that. slurmdbd also ends if its database
# cannot be reached at the wrong moment.
for daemon in munge slurmctld slurmd slurmdbd sackd; do
  mkdir -p "/etc/systemd/system/$daemon.service.d"
  printf '[Unit]\nStartLimitIntervalSec=0\n[Service]\nRestart=on-failure\nRestartSec=5\n' \
    >"/etc/systemd/system/$daemon.service.d/restart.conf"
done
# The package generated a key, which would be the same on every machine of the image.
rm -f /etc/munge/munge.key
