#!/usr/bin/env bash
# Builds the node image on Google Cloud with Packer, unless it exists:
#   images/build.sh PROJECT ZONE SUBNETWORK [option of install.sh...]
#
# Needs gcloud and packer, logged in. The last line of the output is the image's name. Blueprints refer to its family,
# slipway-TRANSPORT: instance_image: {project: PROJECT, family: slipway-tcpxo}
set -euo pipefail
[ $# -ge 3 ] || { echo "usage: images/build.sh PROJECT ZONE SUBNETWORK [option of install.sh...]" >&2 && exit 2; }
project=$1 zone=$2 subnetwork=$3
shift 3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=$("$here/name.sh" "$@")

found=$(gcloud compute images list --project "$project" --no-standard-images --filter "name=$name" --format 'value(name)')
if [ "$found" = "$name" ]; then
  echo "the image exists already: nothing in it has changed" >&2
else
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  "$here/pack.sh" "$folder/install" "$@"
  packer build -var "project_id=$project" -var "zone=$zone" -var "subnetwork=$subnetwork" -var "image_name=$name" \
    -var "image_family=${name%-*}" -var "script=$folder/install" "$here/node.pkr.hcl" >&2
fi
echo "$name"
