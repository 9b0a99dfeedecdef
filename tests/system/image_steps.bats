# The recipe's steps, unchanged, in roots of the release that they are for, with a closed network: what they reach is the
# release's own archive, and stand-ins of NVIDIA's and Google's archives and of the registry. Takes minutes: ./test.sh
# --images
#
# The roots are kept in build/image-roots, with the packages that were fetched.

# bats file_tags=apart,alone

FAKES=$BATS_TEST_DIRNAME/../fakes/images
KEPT=$BATS_TEST_DIRNAME/../../build/image-roots
HOSTS="archive.ubuntu.com deb.debian.org"

setup_file() {
  mkdir -p "$KEPT"
  export SCRATCH
  SCRATCH=$(mktemp -d)
  # shellcheck disable=SC2086
  python3 -B "$FAKES/servers.py" outside "$KEPT/packages" "$SCRATCH/gate" $HOSTS 3>&- &
  echo $! >"$SCRATCH/gate.pid"
}

teardown_file() {
  kill "$(cat "$SCRATCH/gate.pid")"
  rm -rf "$SCRATCH"
}

teardown() {
  if mountpoint -q "$SCRATCH/root"; then umount "$SCRATCH/root"; fi
  rm -rf "$SCRATCH/upper" "$SCRATCH/work" "$SCRATCH/folder"
}

# base noble|trixie: makes the root that stands for a public image, once: with its kernel, and the driver if it has one
base() {
  local root=$KEPT/$1
  [ ! -e "$root.made" ] || return 0
  rm -rf "$root"
  case $1 in
    noble)
      # Debian 12 does not have Ubuntu's keys; this root is for tests only.
      mmdebstrap --variant=apt --aptopt='Acquire::Check-Valid-Until "false"' --include=systemd,systemd-sysv,udev,linux-image-gcp \
        --include=nvidia-utils-580-server,nvidia-compute-utils-580-server,libnvidia-compute-580-server noble "$root" \
        "deb [trusted=yes] http://archive.ubuntu.com/ubuntu noble main restricted universe" \
        "deb [trusted=yes] http://archive.ubuntu.com/ubuntu noble-updates main restricted universe"
      # The driver's modules are not in every mirror of the archive.
      python3 -B "$FAKES/modules.py" "$root" "$(kernel_of "$root")" nvidia nvidia-uvm
      ;;
    trixie)
      mmdebstrap --variant=apt --aptopt='Acquire::Check-Valid-Until "false"' --include=systemd,systemd-sysv,udev,linux-image-cloud-amd64 \
        trixie "$root" http://deb.debian.org/debian
      ;;
  esac
  touch "$root.made"
}

kernel_of() { find "$1/lib/modules/" -mindepth 1 -maxdepth 1 -printf '%f\n'; }

# fresh RELEASE: a root and stand-ins for one test
fresh() {
  base "$1"
  mkdir -p "$SCRATCH/upper" "$SCRATCH/work" "$SCRATCH/root" "$SCRATCH/folder"
  mount -t overlay overlay -o "lowerdir=$KEPT/$1,upperdir=$SCRATCH/upper,workdir=$SCRATCH/work" "$SCRATCH/root"
  python3 -B "$FAKES/archive.py" "$SCRATCH/folder/archives" "$1" "$(kernel_of "$KEPT/$1")"
  python3 -B "$FAKES/registry.py" "$SCRATCH/folder/registry"
}

# install OPTION...: the recipe without Slipway's own programs, whose build takes long and is tested by image.bats
install() {
  "$FAKES/in_root.sh" "$SCRATCH/root" "$SCRATCH/folder" "$SCRATCH/gate" bash /recipe/images/install.sh --without slipway "$@"
}

says() { grep -qF -- "$1" <<<"$output"; }

@test "image steps: Ubuntu 24.04 becomes an image for A3 Mega" {
  fresh noble
  run install --all --machine-type a3-megagpu-8g
  echo "$output"
  [ "$status" -eq 0 ]
  says "requirements are met; the kernel $(kernel_of "$KEPT/noble") boots"
  # Jobs find the daemon's container under the name that the catalogue has.
  tar -xOzf "$SCRATCH/root/var/lib/slipway/containers/tcpgpudmarxd-dev.tar.gz" manifest.json |
    grep -qF '"us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpxo/tcpgpudmarxd-dev:v1.0.23"'
  run grep -r "mount --bind" "$SCRATCH/root/etc/udev/rules.d"
  [ "$status" -eq 1 ]
}

@test "image steps: Ubuntu 24.04 becomes an image for A4, with gIB copied out of its container" {
  fresh noble
  run install --all --machine-type a4-highgpu-8g
  echo "$output"
  [ "$status" -eq 0 ]
  [ "$(cat "$SCRATCH/root/usr/local/gib/lib64/libnccl-net.so")" = \
    "lib64/libnccl-net.so of gce-ai-infra/gpudirect-gib/nccl-plugin-gib:v1.1.0" ]
}

@test "image steps: Debian 13 becomes an image for machines without GPUs" {
  fresh trixie
  run install --all
  echo "$output"
  [ "$status" -eq 0 ]
  says "boots"
}

@test "image steps: Debian 13 is refused as the base of an image for GPUs, which it would not serve" {
  fresh trixie
  run install --machine-type a3-megagpu-8g verify
  [ "$status" -eq 1 ]
  says "missing: the base accelerator-amd64: this system is Debian GNU/Linux 13 (trixie), not ubuntu noble"
  says "missing: the program docker (step containers)"
}
