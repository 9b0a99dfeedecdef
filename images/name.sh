#!/usr/bin/env bash
# Prints the name of the image that the recipe makes: images/name.sh [option of install.sh...]
#
# The name ends in a digest of everything that goes into the image: steps, versions, units, options, and Slipway's source.
# If nothing has changed, the name is the same, wherever and whenever it is computed, and the image is not built again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

transport=socket
options=("$@")
while [ $# -gt 0 ]; do
  if [ "$1" = --transport ]; then transport=${2:?"--transport needs a value"}; fi
  shift
done

mapfile -t source < <(grep -v '^#' images/source)
inputs=(images/install.sh images/versions.sh images/steps images/slipway-guard.service images/slipway-node.service images/slipway-watch.service
  "${source[@]}")
files() { find "${inputs[@]}" -type f ! -name '*.pyc' "$@" -print0 | LC_ALL=C sort -z; }
digest=$(
  {
    printf 'option %s\n' "${options[@]}"
    files | xargs -0 sha256sum
    # The mode bits that git tracks.
    files -perm -u+x
  } | sha256sum | cut -c1-12
)
echo "slipway-$transport-$digest"
