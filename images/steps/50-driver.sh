#!/usr/bin/env bash
# the NVIDIA driver with open kernel modules, unless the base has it
# needs: cloud

# shellcheck source=../apt.sh
. "${images_folder:?}/apt.sh"
# shellcheck source=../versions.sh
. "${images_folder:?}/versions.sh"
case ${driver:?} in
  none)
    echo "    the base ${base:?} is for machines without GPUs"
    exit 0
    ;;
  install)
    # Built for the kernel that will boot, even if another one runs now. Its modules are built with gcc 12.
    kernel_version=$(kernel_that_boots)
    apt_install dkms gcc-12 zstd "linux-headers-$kernel_version" "nvidia-dkms-$driver_branch-server-open" \
      "nvidia-utils-$driver_branch-server" "nvidia-compute-utils-$driver_branch-server" "libnvidia-compute-$driver_branch-server"
    dkms autoinstall -k "$kernel_version" >/dev/null
    ;;
esac
# Driver, kernel and modules fit each other: none is upgraded alone.
hold '*nvidia*' 'linux-image-*' 'linux-modules-*' 'linux-headers-*' linux-gcp linux-gcp-64k 'google-compute-engine*' google-guest-agent
# Ubuntu's unit turns persistence mode off: https://docs.nvidia.com/deploy/driver-persistence/
mkdir -p /etc/systemd/system/nvidia-persistenced.service.d
cat >/etc/systemd/system/nvidia-persistenced.service.d/slipway.conf <<'UNIT'
[Service]
ExecStart=
ExecStart=/usr/bin/nvidia-persistenced --user nvidia-persistenced --persistence-mode --verbose
UNIT
