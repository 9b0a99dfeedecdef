#!/bin/bash
# Installs Docker from Docker's package repository: WORLD_WRITABLE; true lets every user use it.
set -euo pipefail
world_writable=$1

# shellcheck source=/dev/null
. /etc/os-release
if command -v docker >/dev/null; then
  echo "Docker is installed already"
elif command -v apt-get >/dev/null; then
  export DEBIAN_FRONTEND=noninteractive
  key=/usr/share/keyrings/docker.asc
  curl -fsSL --retry 5 -o "$key" "https://download.docker.com/linux/$ID/gpg"
  echo "deb [signed-by=$key] https://download.docker.com/linux/$ID $VERSION_CODENAME stable" \
    >/etc/apt/sources.list.d/docker.list
  apt-get update
  apt-get install -y docker-ce docker-ce-cli containerd.io docker-buildx-plugin
elif command -v dnf >/dev/null; then
  # Rocky Linux and similar systems use CentOS packages.
  distribution=centos
  [ "$ID" != rhel ] || distribution=rhel
  curl -fsSL --retry 5 -o /etc/yum.repos.d/docker-ce.repo \
    "https://download.docker.com/linux/$distribution/docker-ce.repo"
  dnf install -y docker-ce docker-ce-cli containerd.io docker-buildx-plugin
else
  echo "Docker cannot be installed: this system has neither apt-get nor dnf" >&2
  exit 1
fi

if [ "$world_writable" = true ]; then
  mkdir -p /etc/systemd/system/docker.socket.d
  printf '[Socket]\nSocketMode=0666\n' >/etc/systemd/system/docker.socket.d/mode.conf
else
  rm -f /etc/systemd/system/docker.socket.d/mode.conf
fi
systemctl daemon-reload
systemctl enable docker.socket docker.service
# The daemon reads its configuration, and the socket its mode, at startup.
systemctl stop docker.service docker.socket
systemctl start docker.socket docker.service
