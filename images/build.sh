#!/usr/bin/env bash
# Builds the node image on Google Cloud with Packer, unless it exists:
#   images/build.sh PROJECT ZONE SUBNETWORK [option of install.sh...]
#
# For example: images/build.sh my-project us-central1-a my-subnetwork --machine-type a3-megagpu-8g
#
# Needs gcloud and packer, logged in. The last line of the output is the image's name. Blueprints refer to its family, the
# name without its last part: instance_image: {project: PROJECT, family: slipway-tcpxo}
#
# The image for GPUDirect-TCPX needs access to a private archive: TCPX_ARCHIVE_LOGIN names a file with three words, the
# login, the password and the key's ID. It is not kept in the image.
set -euo pipefail
[ $# -ge 3 ] || { echo "usage: images/build.sh PROJECT ZONE SUBNETWORK [option of install.sh...]" >&2 && exit 2; }
project=$1 zone=$2 subnetwork=$3
shift 3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=choose.sh
. "$here/choose.sh"
choose "$@"
name=$("$here/name.sh" "$@")

found=$(gcloud compute images list --project "$project" --no-standard-images --filter "name=$name" --format 'value(name)')
if [ "$found" = "$name" ]; then
  echo "the image exists already: nothing in it has changed" >&2
else
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  "$here/pack.sh" "$folder/install" "$@"
  login=
  if [ "$driver" = install ]; then
    [ -r "${TCPX_ARCHIVE_LOGIN:-}" ] || die "the image for $transport needs the file that TCPX_ARCHIVE_LOGIN names"
    login=$(cat "$TCPX_ARCHIVE_LOGIN")
  fi
  # In the environment, so that no process list and no log shows it.
  PKR_VAR_archive_login=$login packer build -var "project_id=$project" -var "zone=$zone" -var "subnetwork=$subnetwork" \
    -var "image_name=$name" -var "image_family=${name%-*}" -var "source_image_family=$base_family" \
    -var "source_image_project=$base_project" -var "machine_type=$builder" -var "disk_type=$disk" -var "script=$folder/install" \
    "$here/node.pkr.hcl" >&2
fi
echo "$name"
