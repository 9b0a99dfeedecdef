#!/usr/bin/env bash
# the NCCL plugin and daemon of the machine type's transport
# needs: cloud

# shellcheck source=../versions.sh
. "${images_folder:?}/versions.sh"
# shellcheck source=../docker.sh
. "${images_folder:?}/docker.sh"
if [ -z "$plugin_container" ]; then
  echo "    transport ${transport:?} needs none"
  exit 0
fi
with_docker
# Install them now, so that jobs do not wait for them and every node has the same bytes.
pull "$plugin_container"
mkdir -p "$plugin_folder"
docker run --rm --network=host --volume "${plugin_folder%/*}:$plugin_inside" "$plugin_container" install --install-nccl
docker rmi "$plugin_container" >/dev/null
# Users read the libraries and the profile.
chmod -R a+rX "${plugin_folder%/*}"
# Docker's own store may be on a disk that is empty when the machine boots: an archive, which the boot loads where the store
# lacks the container.
mkdir -p /var/lib/slipway/containers
if [ -n "$daemon_container" ]; then
  pull "$daemon_container"
  docker save "$daemon_container" | gzip -1 >"/var/lib/slipway/containers/$(basename "${daemon_container%:*}").tar.gz"
fi
# The versions, for the check before a job: the tag "v1.0.17" is version 1.0.17.
mkdir -p /etc/slipway
printf 'plugin=%s\ndaemon=%s\n' "${plugin_container##*:v}" "${daemon_container##*:v}" >/etc/slipway/transport-versions
