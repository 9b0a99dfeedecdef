#!/usr/bin/env bash
# Slurm, munge and a database for Slurm's accounting; their daemons are started at boot
# needs: nothing

# shellcheck source=../apt.sh
. "${images_folder:?}/apt.sh"
keep_daemons_off
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
