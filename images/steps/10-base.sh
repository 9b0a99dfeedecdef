#!/usr/bin/env bash
# what every node needs: certificates, curl, NFS, tools for disks, a firewall
# needs: nothing

apt-get update -qq
apt-get install -y -qq --no-install-recommends \
  ca-certificates curl e2fsprogs iproute2 logrotate mdadm nfs-common nftables procps util-linux >/dev/null
