#!/bin/bash
# Installs the Lustre client for Managed Lustre: [PORT], LNet's port, 988 by default.
# Packages: https://cloud.google.com/managed-lustre/docs/connect-from-compute-engine
set -euo pipefail
port=${1:-988}

# A loaded module keeps its port until the next boot.
echo "options lnet accept_port=$port" >/etc/modprobe.d/lnet-port.conf

# shellcheck source=/dev/null
. /etc/os-release
if command -v mount.lustre >/dev/null && modinfo lustre >/dev/null 2>&1; then
  echo "the Lustre client is installed already"
elif [ "$ID" = ubuntu ]; then
  export DEBIAN_FRONTEND=noninteractive
  key=/usr/share/keyrings/lustre-client.asc
  curl -fsSL --retry 5 -o "$key" https://us-apt.pkg.dev/doc/repo-signing-key.gpg
  repository=lustre-client-ubuntu-$VERSION_CODENAME
  echo "deb [signed-by=$key] https://us-apt.pkg.dev/projects/lustre-client-binaries $repository main" \
    >/etc/apt/sources.list.d/lustre-client.list
  apt-get update
  if ! apt-get install -y "lustre-client-modules-$(uname -r)" lustre-client-utils; then
    echo "there is no Lustre client for the kernel $(uname -r)" >&2
    exit 1
  fi
elif [[ " $ID ${ID_LIKE-} " == *" rhel "* ]]; then
  cat >/etc/yum.repos.d/lustre-client.repo <<REPOSITORY
[lustre-client]
name=Managed Lustre client
baseurl=https://us-yum.pkg.dev/projects/lustre-client-binaries/lustre-client-rocky-${VERSION_ID%%.*}
enabled=1
gpgcheck=0
repo_gpgcheck=0
REPOSITORY
  dnf install -y kmod-lustre-client lustre-client
else
  echo "there is no Lustre client for $PRETTY_NAME" >&2
  exit 1
fi
modprobe lustre
