#!/usr/bin/env bash
# what mounts and makes images of containers, the place of Enroot's settings, and user namespaces
# needs: nothing

# shellcheck source=../apt.sh
. "${images_folder:?}/apt.sh"
# fuse3 lets users open /dev/fuse.
apt_install squashfuse squashfs-tools fuse3
# For `slipway container import`, on login nodes too; not in every release.
for package in skopeo umoci; do
  if name=$(available "$package" 2>/dev/null); then apt_install "$name"; fi
done
mkdir -p /etc/enroot
# Cluster Toolkit v1.95, examples/machine-learning: users' settings are in their home.
# shellcheck disable=SC2016  # Enroot expands it
echo 'ENROOT_CONFIG_PATH ${HOME}/.enroot' >/etc/enroot/enroot.conf
# Ubuntu's AppArmor does not let users make namespaces.
if [ "${system:?}" = ubuntu ]; then
  echo 'kernel.apparmor_restrict_unprivileged_userns = 0' >/etc/sysctl.d/62-slipway-namespaces.conf
fi
