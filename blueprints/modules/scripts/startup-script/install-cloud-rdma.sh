#!/bin/bash
# Installs the Cloud RDMA drivers for H4D's Falcon cards. They exist only for Rocky Linux 8:
# https://cloud.google.com/compute/docs/instances/create-vm-with-rdma
set -euo pipefail

# shellcheck source=/dev/null
. /etc/os-release
case $ID-${VERSION_ID%%.*} in
rocky-8 | rhel-8) ;;
*)
  echo "the Cloud RDMA drivers support only Rocky Linux 8, but this is $PRETTY_NAME" >&2
  exit 1
  ;;
esac

before=$(rpm -q kmod-idpf-irdma || true)
dnf install -y \
  https://depot.ciq.com/public/files/gce-accelerator/irdma-kernel-modules-el8-x86_64/irdma-repos.rpm
dnf install -y kmod-idpf-irdma rdma-core libibverbs-utils librdmacm-utils infiniband-diags perftest
after=$(rpm -q kmod-idpf-irdma)

# The installed modules differ from the loaded ones: reload them, without a reboot.
if [ "$before" != "$after" ]; then
  modprobe -r irdma || true
  modprobe -r idpf || true
  modprobe idpf
fi
