# Roots of the releases that images are made of, for image_*.bats. They are kept in build/image-roots, with the packages that
# were fetched. Their network ends at stand-ins (tests/fakes/images/servers.py).

FAKES=$BATS_TEST_DIRNAME/../fakes/images
KEPT=$BATS_TEST_DIRNAME/../../build/image-roots
HOSTS="archive.ubuntu.com deb.debian.org"

# start_gate, stop_gate: for setup_file and teardown_file
start_gate() {
  mkdir -p "$KEPT"
  export SCRATCH
  # In memory if there is room for two roots: packages are unpacked and written out file by file.
  if [ "$(df --output=avail /dev/shm | tail -1)" -gt 8000000 ]; then # KiB
    SCRATCH=$(mktemp -d /dev/shm/slipway-image-roots.XXXXXX)
  else
    SCRATCH=$(mktemp -d)
  fi
  # shellcheck disable=SC2086
  python3 -B "$FAKES/servers.py" outside "$KEPT/packages" "$SCRATCH/gate" $HOSTS 3>&- &
  echo $! >"$SCRATCH/gate.pid"
}

stop_gate() {
  kill "$(cat "$SCRATCH/gate.pid")"
  rm -rf "$SCRATCH"
}

# need_archive ADDRESS RELEASE: fails, and says so, if a root of that release cannot be made here
need_archive() {
  if ! curl --fail --silent --show-error --location --max-time 60 --output /dev/null "$1/dists/$2/Release"; then
    echo "no root of $2 can be made here: $1 has none, or cannot be reached" >&2
    return 1
  fi
}

# base noble|trixie: makes the root that stands for a public image, once: with its kernel, and the driver if it has one
base() {
  local root=$KEPT/$1
  [ ! -e "$root.made" ] || return 0
  rm -rf "$root"
  case $1 in
    noble)
      need_archive http://archive.ubuntu.com/ubuntu noble
      # Debian 12 does not have Ubuntu's keys; this root is for tests only.
      mmdebstrap --variant=apt --aptopt='Acquire::Check-Valid-Until "false"' --include=systemd,systemd-sysv,udev,linux-image-gcp \
        --include=nvidia-utils-580-server,nvidia-compute-utils-580-server,libnvidia-compute-580-server noble "$root" \
        "deb [trusted=yes] http://archive.ubuntu.com/ubuntu noble main restricted universe" \
        "deb [trusted=yes] http://archive.ubuntu.com/ubuntu noble-updates main restricted universe"
      # The driver's modules are not in every mirror of the archive.
      python3 -B "$FAKES/modules.py" "$root" "$(kernel_of "$root")" nvidia nvidia-uvm
      ;;
    trixie)
      need_archive http://deb.debian.org/debian trixie
      mmdebstrap --variant=apt --aptopt='Acquire::Check-Valid-Until "false"' --include=systemd,systemd-sysv,udev,linux-image-cloud-amd64 \
        trixie "$root" http://deb.debian.org/debian
      ;;
  esac
  touch "$root.made"
}

kernel_of() { find "$1/lib/modules/" -mindepth 1 -maxdepth 1 -printf '%f\n'; }

root_of() { echo "$SCRATCH/$1/root"; }

# fresh RELEASE: a root and stand-ins for one test
fresh() {
  local folder=$SCRATCH/$1
  base "$1"
  mkdir -p "$folder/upper" "$folder/work" "$folder/root" "$folder/folder"
  mount -t overlay overlay -o "lowerdir=$KEPT/$1,upperdir=$folder/upper,workdir=$folder/work" "$folder/root"
  python3 -B "$FAKES/archive.py" "$folder/folder/archives" "$1" "$(kernel_of "$KEPT/$1")"
  python3 -B "$FAKES/registry.py" "$folder/folder/registry"
}

# drop_roots: for teardown
drop_roots() {
  local root
  for root in "$SCRATCH"/*/root; do
    if mountpoint -q "$root"; then umount "$root"; fi
  done
  rm -rf "${SCRATCH:?}"/noble "$SCRATCH"/trixie
}

# install RELEASE OPTION...: the recipe without Slipway's own programs, whose build takes long and is tested by image.bats
install() {
  local release=$1
  shift
  "$FAKES/in_root.sh" "$(root_of "$release")" "$SCRATCH/$release/folder" "$SCRATCH/gate" bash /recipe/images/install.sh --without slipway "$@"
}

says() { grep -qF -- "$1" <<<"$output"; }
