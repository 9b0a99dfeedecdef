#!/usr/bin/env bash
# Builds the real server of Kubernetes' API extensions from Debian sid's source package, and keeps it with etcd in FOLDER, for
# tests/kubernetes/api_server.py. Needs root, mmdebstrap and Debian's archive. Does nothing if both are there.
#
#   tests/kubernetes/build_api_server.sh [--test] [FOLDER]     FOLDER: $SLIPWAY_API_SERVER, or else ~/.cache/slipway/api-server
#   tests/kubernetes/build_api_server.sh --help                this text
#
# With --test, runs api_server.py then; the last line is 'N passed, N failed'.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

test=false
case "${1:-}" in
  --help) sed -n '/^set /q; s/^# \{0,1\}//p' "$0" | tail -n +2 && exit ;;
  --test) test=true && shift ;;
esac
folder=${1:-${SLIPWAY_API_SERVER:-$HOME/.cache/slipway/api-server}}

build() {
  work=$(mktemp -d /var/tmp/slipway-api-server.XXXXXX)
  trap 'rm -rf --one-file-system "$work"' EXIT
  chmod 755 "$work"
  "$top/scripts/root.sh" make sid "$work/root" --include=golang-go,golang-k8s-apiextensions-apiserver-dev
  mkdir -p "$folder"
  # Debian's Go packages are not Go modules; they are below one folder.
  "$top/scripts/root.sh" enter "$work/root" env HOME=/tmp GO111MODULE=off GOPATH=/usr/share/gocode CGO_ENABLED=0 GOTELEMETRY=off \
    go build -o apiextensions-apiserver k8s.io/apiextensions-apiserver
  (cd "$work" && apt-get -q download etcd-server && dpkg-deb -x etcd-server_*.deb etcd)
  install "$work/etcd/usr/bin/etcd" "$folder/etcd"
  install "$work/root/home/tester/slipway/apiextensions-apiserver" "$folder/apiextensions-apiserver"
}

if [ ! -x "$folder/apiextensions-apiserver" ] || [ ! -x "$folder/etcd" ]; then build; fi
$test || exit 0
if "$top/tests/kubernetes/api_server.py" "$folder"; then
  echo "1 passed, 0 failed"
else
  echo "0 passed, 1 failed"
  exit 1
fi
