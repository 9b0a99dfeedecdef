#!/usr/bin/env bash
# Cloud Storage FUSE, which mounts buckets
# needs: cloud

# shellcheck source=../apt.sh
. "${images_folder:?}/apt.sh"
# shellcheck source=../versions.sh
. "${images_folder:?}/versions.sh"
# https://cloud.google.com/storage/docs/cloud-storage-fuse/install
add_archive gcsfuse "$google_archive/apt/doc/apt-key.gpg" "$google_archive/apt" "gcsfuse-${release:?}" main
apt_install fuse3 "gcsfuse=$gcsfuse_version"
