# The recipe's steps, unchanged, in roots of the release that they are for, with a closed network: what they reach is the
# release's own archive, and stand-ins of NVIDIA's and Google's archives and of the registry. Takes minutes: ./test.sh
# --images

# bats file_tags=apart,alone

load image_roots

setup_file() { start_gate; }

teardown_file() { stop_gate; }

teardown() { drop_roots; }

@test "image steps: Ubuntu 24.04 becomes an image for A3 Mega" {
  fresh noble
  run install noble --all --machine-type a3-megagpu-8g
  echo "$output"
  [ "$status" -eq 0 ]
  says "requirements are met; the kernel $(kernel_of "$KEPT/noble") boots"
  # Jobs find the daemon's container under the name that the catalogue has.
  tar -xOzf "$SCRATCH/noble/root/var/lib/slipway/containers/tcpgpudmarxd-dev.tar.gz" manifest.json |
    grep -qF '"us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpxo/tcpgpudmarxd-dev:v1.0.23"'
  run grep -r "mount --bind" "$SCRATCH/noble/root/etc/udev/rules.d"
  [ "$status" -eq 1 ]
}

@test "image steps: Ubuntu 24.04 becomes an image for A4, with gIB copied out of its container" {
  fresh noble
  run install noble --all --machine-type a4-highgpu-8g
  echo "$output"
  [ "$status" -eq 0 ]
  [ "$(cat "$SCRATCH/noble/root/usr/local/gib/lib64/libnccl-net.so")" = \
    "lib64/libnccl-net.so of gce-ai-infra/gpudirect-gib/nccl-plugin-gib:v1.1.0" ]
}

@test "image steps: Debian 13 becomes an image for machines without GPUs" {
  fresh trixie
  run install trixie --all
  echo "$output"
  [ "$status" -eq 0 ]
  says "boots"
}

@test "image steps: Debian 13 is refused as the base of an image for GPUs, which it would not serve" {
  fresh trixie
  run install trixie --machine-type a3-megagpu-8g verify
  [ "$status" -eq 1 ]
  says "missing: the base accelerator-amd64: this system is Debian GNU/Linux 13 (trixie), not ubuntu noble"
  says "missing: the program docker (step containers)"
}

@test "image steps: Ubuntu 24.04 becomes an image for A3 High, but for its kernel, whose archive is private, and the driver for it" {
  fresh noble
  run install noble --all --machine-type a3-highgpu-8g --without kernel --without driver
  echo "$output"
  [ "$status" -eq 0 ]
  [ "$(grep -c 'gpu_pci_addr: "0000:' "$(root_of noble)/opt/tcpdirect_benchmark/gpu_rxq_configuration.textproto")" -eq 8 ]
  tar -xOzf "$(root_of noble)/var/lib/slipway/containers/tcpgpudmarxd-dev.tar.gz" manifest.json | grep -qF 'tcpgpudmarxd-dev:v2.0.12'
}

@test "image steps: IMEX is of the driver's branch, however NVIDIA's archive names it" {
  fresh noble
  # The step's own work, which images for Arm machines with GPUs have.
  run "$FAKES/in_root.sh" "$(root_of noble)" "$SCRATCH/noble/folder" "$SCRATCH/gate" bash -c '
    cd /recipe/images && ./install.sh --without slipway --transport gib base && . ./choose.sh && choose --transport gib &&
      export transport base system release architecture kernel driver images_folder=$PWD &&
      ./install.sh --without slipway --transport gib cuda && architecture=arm64 bash -euo pipefail steps/74-imex.sh'
  echo "$output"
  [ "$status" -eq 0 ]
  run chroot "$(root_of noble)" dpkg-query --show --showformat '${Package} ${Version}' 'nvidia-imex*'
  [[ "$output" == "nvidia-imex 580."* ]]
  grep -qx 'IMEX_CMD_ENABLED=1' "$(root_of noble)/etc/nvidia-imex/config.cfg"
}

# packages_of STEP...: what the steps install from the release's own archive
packages_of() {
  local step
  for step in "$@"; do
    sed -nE 's/.*apt_install //p' "$BATS_TEST_DIRNAME"/../../images/steps/*-"$step".sh | sed -E 's/"\$\(available ([a-z0-9]+)[^)]*\)"/\1/g'
  done | tr ' ' '\n' | grep -xE '[a-z][a-z0-9.+-]+' | sort -u
}

@test "image steps: Debian 13 has all packages of the steps for Arm, too" {
  local world=$SCRATCH/arm packages
  mapfile -t packages < <(
    packages_of base slurm mpi
    echo linux-image-cloud-arm64 fuse3
    awk '/^# to build/ { on = 1; next } /^#/ { on = 0 } on && NF' "$BATS_TEST_DIRNAME/../../packages.debian"
  )
  [ "${#packages[@]}" -gt 30 ]
  mkdir -p "$world/lists/partial" "$world/cache/archives/partial" "$world/parts"
  echo "deb [trusted=yes] http://deb.debian.org/debian trixie main" >"$world/sources.list"
  : >"$world/status"
  cat >"$world/apt.conf" <<APT
Dir::State::lists "$world/lists"; Dir::State::status "$world/status"; Dir::Cache "$world/cache"; Dir::Etc::sourcelist "$world/sources.list";
Dir::Etc::sourceparts "$world/parts"; Dir::Etc::preferencesparts "$world/parts"; Dir::Etc::trustedparts "$world/parts";
APT::Architecture "arm64"; APT::Architectures { "arm64"; }; Acquire::Check-Valid-Until "false"; Acquire::Languages "none";
APT
  export APT_CONFIG=$world/apt.conf
  apt-get -qq update
  # shellcheck disable=SC2048,SC2086  # lines of packages.debian are several packages
  run apt-get --simulate -qq install --no-install-recommends ${packages[*]}
  echo "$output"
  [ "$status" -eq 0 ]
  grep -qE '^Inst slurmd \(24\.11\..* \[arm64\]\)' <<<"$output"
}
