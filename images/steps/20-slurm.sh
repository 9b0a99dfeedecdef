#!/usr/bin/env bash
# Slurm, munge and a database for Slurm's accounting, whose daemons wait for the boot
# needs: nothing

# Daemons that start without a configuration only fail; in the root of an image nothing is to start at all.
if [ ! -e /usr/sbin/policy-rc.d ]; then
  printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
  chmod 755 /usr/sbin/policy-rc.d
  trap 'rm -f /usr/sbin/policy-rc.d' EXIT
fi
apt-get install -y -qq --no-install-recommends munge slurm-client slurmctld slurmd slurmdbd mariadb-server-core >/dev/null
# `slipway node boot` starts them when it has written what they read.
systemctl --root=/ disable munge.service slurmctld.service slurmd.service slurmdbd.service 2>/dev/null
# The package made a key: every machine of the image would have the same one.
rm -f /etc/munge/munge.key
