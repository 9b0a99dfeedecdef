#!/usr/bin/env bash
# the NCCL plugin and daemon of the machine type's transport
# needs: cloud

# shellcheck source=../versions.sh
. "${images_folder:?}/versions.sh"
if [ -z "$plugin_container" ]; then
  echo "    transport ${transport:?} needs none"
  exit 0
fi
apt-get install -y -qq --no-install-recommends docker.io >/dev/null
# Fetch them now, so that jobs do not wait for them and every node has the same bytes.
for container in $plugin_container $daemon_container; do docker pull --quiet "$container"; done
mkdir -p "${plugin_folder%/*}"
case $transport in
  gib) docker run --rm --volume /usr/local/gib:/usr/local/gib "$plugin_container" install --install-nccl ;;
  *) docker run --rm --volume "${plugin_folder%/*}:${plugin_folder%/*}" "$plugin_container" install --install-nccl ;;
esac
test -e "$plugin_folder/libnccl-net.so"
# The versions, for the check before a job: the tag "v1.0.17" is version 1.0.17.
mkdir -p /etc/slipway
printf 'plugin=%s\ndaemon=%s\n' "${plugin_container##*:v}" "${daemon_container##*:v}" >/etc/slipway/transport-versions
if [ "$transport" = tcpxo ]; then
  # The daemon reaches the network interfaces through these files of PCI devices 1ae0:0084.
  cat >/etc/udev/rules.d/60-slipway-aperture.rules <<'RULES'
ACTION=="add", SUBSYSTEM=="pci", ATTR{vendor}=="0x1ae0", ATTR{device}=="0x0084", RUN+="/bin/sh -c 'mkdir -p /dev/aperture_devices/%k && mount --bind /sys%p /dev/aperture_devices/%k && chmod 0666 /dev/aperture_devices/%k/resource*'"
RULES
fi
