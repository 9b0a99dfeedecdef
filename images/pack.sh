#!/usr/bin/env bash
# Packs the recipe and Slipway's source into one script that installs them: images/pack.sh OUT [option of install.sh...]
#
# Packer, a startup script or you run that script as root on a Debian system. The same input gives the same bytes.
set -euo pipefail
out=${1:?"usage: images/pack.sh OUT [option of install.sh...]"}
shift
options=$(printf ' %q' --all "$@")
out=$(realpath -m "$out")
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cat >"$out.new" <<SCRIPT
#!/usr/bin/env bash
# Written by Slipway's images/pack.sh: installs the software of the image $(images/name.sh "$@").
set -euo pipefail
# It changes the whole system, so with any argument, such as --help, it only prints what it is.
if [ \$# -gt 0 ]; then sed -n 2p "\$0" && exit 2; fi
folder=\$(mktemp -d /var/tmp/slipway-image.XXXXXX)
trap 'rm -rf "\$folder"' EXIT
sed '1,/^__ARCHIVE__\$/d' "\$0" | base64 --decode | tar --extract --gzip --directory "\$folder"
bash "\$folder/images/install.sh"$options
exit
__ARCHIVE__
SCRIPT
mapfile -t source < <(grep -v '^#' images/source)
tar --create --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=u+rwX,go+rX,go-w --exclude=__pycache__ \
  images "${source[@]}" |
  gzip --no-name | base64 >>"$out.new"
chmod 755 "$out.new"
mv "$out.new" "$out"
