#!/bin/bash
# Installs the NFS client.
set -euo pipefail

if command -v mount.nfs >/dev/null; then
  echo "the NFS client is installed already"
elif command -v dnf >/dev/null; then
  dnf install -y nfs-utils
elif command -v yum >/dev/null; then
  yum install -y nfs-utils
elif command -v apt-get >/dev/null; then
  export DEBIAN_FRONTEND=noninteractive
  apt-get update
  apt-get install -y nfs-common
else
  echo "the NFS client cannot be installed: this system has neither dnf, yum nor apt-get" >&2
  exit 1
fi
