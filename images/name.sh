#!/usr/bin/env bash
# Prints the name of the image that the recipe makes: images/name.sh [option of install.sh...]
#
# The name ends in a digest of everything that goes into the image: steps, versions, units, options, and Slipway's source.
# If nothing has changed, the name is the same, wherever and whenever it is computed, and the image is not built again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=choose.sh
. images/choose.sh
choose "$@"

# Without the scripts that only build, name and pack.
mapfile -t recipe < <(find images -mindepth 1 -maxdepth 1 ! -name build.sh ! -name name.sh ! -name pack.sh ! -name node.pkr.hcl \
  ! -name source | LC_ALL=C sort)
mapfile -t source < <(grep -v '^#' images/source)
files() { find "${recipe[@]}" "${source[@]}" -type f ! -name '*.pyc' "$@" -print0 | LC_ALL=C sort -z; }
digest=$(
  {
    printf 'option %s\n' "--transport $transport" "--base $base" "--containers $containers" "${rest[@]}"
    files | xargs -0 sha256sum
    # The mode bits that git tracks.
    files -perm -u+x
  } | sha256sum | cut -c1-12
)
family=slipway-$transport
# The images of a transport on different bases are families of their own.
[ "$base" = "$default_base" ] || family+=-$base
# So are those with pyxis: which image is a family's newest must not decide what jobs get.
[ "$containers" != pyxis ] || family+=-pyxis
echo "$family-$digest"
