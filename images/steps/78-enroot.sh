#!/usr/bin/env bash
# the place of Enroot's settings, and user namespaces, which it needs; Enroot and Pyxis are not part of the image
# needs: nothing

mkdir -p /etc/enroot
# Cluster Toolkit v1.95, examples/machine-learning: users' settings are in their home.
# shellcheck disable=SC2016  # Enroot expands it
echo 'ENROOT_CONFIG_PATH ${HOME}/.enroot' >/etc/enroot/enroot.conf
# Ubuntu's AppArmor does not let users make namespaces.
if [ "${system:?}" = ubuntu ]; then
  echo 'kernel.apparmor_restrict_unprivileged_userns = 0' >/etc/sysctl.d/62-slipway-namespaces.conf
fi
