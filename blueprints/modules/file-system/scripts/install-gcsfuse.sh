#!/bin/bash
# Installs Cloud Storage FUSE from Google's package repository.
set -euo pipefail

if command -v gcsfuse >/dev/null; then
  echo "Cloud Storage FUSE is installed already"
elif command -v dnf >/dev/null || command -v yum >/dev/null; then
  cat >/etc/yum.repos.d/gcsfuse.repo <<'REPOSITORY'
[gcsfuse]
name=Cloud Storage FUSE
baseurl=https://packages.cloud.google.com/yum/repos/gcsfuse-el7-x86_64
enabled=1
gpgcheck=1
gpgkey=https://packages.cloud.google.com/yum/doc/yum-key.gpg
       https://packages.cloud.google.com/yum/doc/rpm-package-key.gpg
REPOSITORY
  "$(command -v dnf || command -v yum)" install -y fuse gcsfuse
elif command -v apt-get >/dev/null; then
  export DEBIAN_FRONTEND=noninteractive
  # shellcheck source=/dev/null
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  key=/usr/share/keyrings/cloud.google.asc
  curl -fsSL --retry 5 -o "$key" https://packages.cloud.google.com/apt/doc/apt-key.gpg
  echo "deb [signed-by=$key] https://packages.cloud.google.com/apt gcsfuse-$codename main" \
    >/etc/apt/sources.list.d/gcsfuse.list
  apt-get update
  apt-get install -y fuse gcsfuse
else
  echo "Cloud Storage FUSE cannot be installed: this system has neither dnf, yum nor apt-get" >&2
  exit 1
fi
