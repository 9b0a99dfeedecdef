#!/usr/bin/env bash
# what every node needs: certificates, curl, NFS with its server, tools for disks, a firewall
# needs: nothing

# shellcheck source=../apt.sh
. "${images_folder:?}/apt.sh"
apt_get update
apt_install ca-certificates curl e2fsprogs iproute2 kmod logrotate mdadm nfs-common nfs-kernel-server nftables procps util-linux
# Only a controller that shares folders is a file server, and starts it.
systemctl --root=/ disable nfs-server.service 2>/dev/null || true
if [ "${system:?}" = ubuntu ]; then
  # An upgrade would replace the kernel, and with it the modules that fit the driver.
  mkdir -p /etc/apt/apt.conf.d
  printf 'APT::Periodic::Update-Package-Lists "0";\nAPT::Periodic::Unattended-Upgrade "0";\n' >/etc/apt/apt.conf.d/20auto-upgrades
fi
