#!/usr/bin/env bash
# users whom a machine looks up: the clients of OS Login, and of LDAP
# needs: cloud

# shellcheck source=../apt.sh
. "${images_folder:?}/apt.sh"
# Google's images have them. The agent turns OS Login on at boot, as the machine's metadata `enable-oslogin` says.
if [ ! -x /usr/bin/google_authorized_keys ]; then
  apt_install google-compute-engine-oslogin google-guest-agent
  # The link in Ubuntu's package 20260814.00 names a file that the package does not have; this makes the right one.
  ldconfig
fi
# It starts where there is a configuration: docs/guides/users.md.
apt_install libnss-sss libpam-sss sssd-ldap
# The packages do this only when they are new. Slurm's daemons look users up here.
sed -i -E '/^(passwd|group|shadow):/ { /\bsss\b/! s/$/ sss/ }' /etc/nsswitch.conf
