#!/usr/bin/env bash
# what every node needs: certificates, curl, NFS, tools for disks
# needs: nothing

apt-get update -qq
apt-get install -y -qq --no-install-recommends \
  ca-certificates curl e2fsprogs iproute2 mdadm nfs-common procps util-linux >/dev/null
