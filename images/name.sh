#!/usr/bin/env bash
# The name of the image that the recipe makes: images/name.sh [option of install.sh...]
#
# It ends in a digest of all that goes into it: steps, versions, the unit, the options, and Slipway's source as the image
# has it. What has not changed has the same name, whenever and wherever it was written, and is not built again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

transport=socket
options=("$@")
while [ $# -gt 0 ]; do
  if [ "$1" = --transport ]; then transport=${2:?"--transport needs a value"}; fi
  shift
done

# Tests are built for nobody's machine.
inputs=(images/install.sh images/versions.sh images/steps images/slipway-guard.service images/slipway-node.service images/slipway-watch.service
  meson.build meson_options.txt packages.debian common launcher spank-plugins nccl-tests blueprints examples)
files() { find "${inputs[@]}" -type f ! -name '*.pyc' "$@" -print0 | LC_ALL=C sort -z; }
digest=$(
  {
    printf 'option %s\n' "${options[@]}"
    files | xargs -0 sha256sum
    # Modes as far as git knows them.
    files -perm -u+x
  } | sha256sum | cut -c1-12
)
echo "slipway-$transport-$digest"
