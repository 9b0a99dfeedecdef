#!/usr/bin/env bash
# IMEX, with which the GPUs of an NVLink domain of several machines map each other's memory
# needs: cloud

# shellcheck source=../apt.sh
. "${images_folder:?}/apt.sh"
# shellcheck source=../versions.sh
. "${images_folder:?}/versions.sh"
if [ "${driver:?}" = none ] || [ "${architecture:?}" != arm64 ]; then
  echo "    only Arm machines with GPUs are parts of such a domain"
  exit 0
fi
if [ ! -x /usr/bin/nvidia-imex ]; then
  # Of the driver's branch: NVIDIA's archive has each branch as a package, or all as versions of one.
  apt_install "$(available "nvidia-imex-$driver_branch" nvidia-imex)=$driver_branch.*"
fi
hold 'nvidia-imex*'
# Slipway starts it for each job, and asks it with nvidia-imex-ctl whether all nodes are connected:
# https://docs.nvidia.com/multi-node-nvlink-systems/imex-guide, "service config options"
systemctl --root=/ disable nvidia-imex.service 2>/dev/null
sed -i -E '/^#? *IMEX_CMD_(ENABLED|PORT)=/d' /etc/nvidia-imex/config.cfg
printf 'IMEX_CMD_ENABLED=1\nIMEX_CMD_PORT=50005\n' >>/etc/nvidia-imex/config.cfg
# The first channel; jobs have a machine to themselves. The same guide, "IMEX channels".
echo 'options nvidia NVreg_CreateImexChannel0=1' >/etc/modprobe.d/slipway-imex.conf
