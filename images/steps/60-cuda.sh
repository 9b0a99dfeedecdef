#!/usr/bin/env bash
# the CUDA runtime, NCCL in the transport's version, and DCGM
# needs: cloud

# shellcheck source=../apt.sh
. "${images_folder:?}/apt.sh"
# shellcheck source=../versions.sh
. "${images_folder:?}/versions.sh"
if [ "${driver:?}" = none ]; then
  echo "    the base ${base:?} is for machines without GPUs"
  exit 0
fi
# The release and the processor as NVIDIA's archive names them: ubuntu2404, sbsa for Arm servers.
# shellcheck source=/dev/null
. /etc/os-release
folder=$nvidia_archive/$ID${VERSION_ID//./}/$([ "${architecture:?}" = arm64 ] && echo sbsa || echo x86_64)
package=$(mktemp --suffix .deb)
curl --fail --silent --show-error --location --retry 5 --output "$package" "$folder/cuda-keyring_1.1-1_all.deb"
dpkg -i "$package" >/dev/null
rm "$package"
# Below the release's own packages: the archive has a driver too, which is not to replace the base's.
printf 'Package: *\nPin: release l=NVIDIA CUDA\nPin-Priority: 400\n' >/etc/apt/preferences.d/slipway-nvidia
apt_get update
apt_install "cuda-cudart-$cuda_version" "datacenter-gpu-manager-4-core=$dcgm_version" \
  "datacenter-gpu-manager-4-cuda${cuda_version%-*}=$dcgm_version"
if [ -n "$nccl_version" ]; then apt_install "libnccl2=$nccl_version"; fi
# An upgrade would break the combination.
hold libnccl2 'datacenter-gpu-manager-4-*'
# Images also boot machines without GPUs: the controller and login nodes.
mkdir -p /etc/systemd/system/nvidia-dcgm.service.d
printf '[Unit]\nConditionDirectoryNotEmpty=/proc/driver/nvidia/gpus\n' >/etc/systemd/system/nvidia-dcgm.service.d/slipway.conf
systemctl --root=/ enable nvidia-dcgm.service 2>/dev/null
