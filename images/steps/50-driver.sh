#!/usr/bin/env bash
# the NVIDIA driver with open kernel modules
# needs: cloud

# Debian's release as NVIDIA's archive names it.
. /etc/os-release
release=debian$VERSION_ID
# shellcheck source=../versions.sh
. "${images_folder:?}/versions.sh"
keyring=/usr/share/keyrings/cuda-archive-keyring.gpg
if [ ! -e "$keyring" ]; then
  package=$(mktemp)
  curl --fail --silent --show-error --location --output "$package" \
    "$nvidia_archive/$release/x86_64/cuda-keyring_1.1-1_all.deb"
  dpkg -i "$package" >/dev/null
  rm "$package"
fi
apt-get update -qq
# Pin the driver's branch instead of taking the newest: the other versions are tested with it.
apt-get install -y -qq --no-install-recommends "linux-headers-$(dpkg --print-architecture)" dkms >/dev/null
printf 'Package: *nvidia* *libcuda*\nPin: version %s.*\nPin-Priority: 1001\n' "$driver_branch" \
  >/etc/apt/preferences.d/slipway-driver
apt-get install -y -qq --no-install-recommends nvidia-driver-cuda nvidia-kernel-open-dkms nvidia-persistenced >/dev/null
