#!/bin/bash
# Installs the DAOS client, which mounts Parallelstore.
# Packages: https://cloud.google.com/parallelstore/docs/connect-from-compute-engine
set -euo pipefail

# shellcheck source=/dev/null
. /etc/os-release
if command -v dfuse >/dev/null && command -v daos_agent >/dev/null; then
  echo "the DAOS client is installed already"
elif command -v apt-get >/dev/null; then
  export DEBIAN_FRONTEND=noninteractive
  key=/usr/share/keyrings/parallelstore.asc
  curl -fsSL --retry 5 -o "$key" https://us-central1-apt.pkg.dev/doc/repo-signing-key.gpg
  echo "deb [signed-by=$key] https://us-central1-apt.pkg.dev/projects/parallelstore-packages v2-6-deb main" \
    >/etc/apt/sources.list.d/parallelstore.list
  apt-get update
  apt-get install -y daos-client
elif command -v dnf >/dev/null; then
  major=${VERSION_ID%%.*}
  cat >/etc/yum.repos.d/parallelstore.repo <<REPOSITORY
[parallelstore]
name=Parallelstore
baseurl=https://us-central1-yum.pkg.dev/projects/parallelstore-packages/v2-6-el$major
enabled=1
gpgcheck=0
repo_gpgcheck=0
REPOSITORY
  dnf install -y epel-release # capstone, which DAOS needs
  dnf install -y daos-client
  dnf upgrade -y libfabric
else
  echo "the DAOS client cannot be installed: this system has neither dnf nor apt-get" >&2
  exit 1
fi
