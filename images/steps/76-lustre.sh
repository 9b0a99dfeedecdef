#!/usr/bin/env bash
# the client of Managed Lustre, on Ubuntu
# needs: cloud

# shellcheck source=../apt.sh
. "${images_folder:?}/apt.sh"
# shellcheck source=../versions.sh
. "${images_folder:?}/versions.sh"
if [ "${system:?}" != ubuntu ]; then
  echo "    Google has no client for $system"
  exit 0
fi
# https://cloud.google.com/managed-lustre/docs/connect-from-compute-engine
kernel_version=$(kernel_that_boots)
add_archive lustre "$artifact_archive/doc/repo-signing-key.gpg" "$artifact_archive/projects/lustre-client-binaries" \
  "lustre-client-ubuntu-${release:?}" main
if ! available "lustre-client-modules-$kernel_version" >/dev/null; then
  echo "Google has no Lustre client for the kernel $kernel_version; build the image with --without lustre, or on an older base" >&2
  exit 1
fi
apt_install "lustre-client-modules-$kernel_version" lustre-client-utils
