#!/usr/bin/env bash
# Docker with its client, and NVIDIA's container toolkit, for the daemons beside GPU jobs
# needs: cloud

# shellcheck source=../apt.sh
. "${images_folder:?}/apt.sh"
# shellcheck source=../versions.sh
. "${images_folder:?}/versions.sh"
if [ "${driver:?}" = none ]; then
  echo "    the base ${base:?} is for machines without GPUs"
  exit 0
fi
if [ ! -x /usr/bin/docker ]; then
  # Debian has the client in a package that docker.io only recommends; Ubuntu's docker.io contains it.
  apt_install docker.io "$(available docker-cli docker.io)"
fi
if [ ! -x /usr/bin/nvidia-ctk ]; then apt_install "nvidia-container-toolkit=$container_toolkit_version"; fi
systemctl --root=/ enable docker.service containerd.service 2>/dev/null
