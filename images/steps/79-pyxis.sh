#!/usr/bin/env bash
# enroot and pyxis from their sources, if the image is for clusters with `containers: pyxis`
# needs: cloud

# shellcheck source=../apt.sh
. "${images_folder:?}/apt.sh"
# shellcheck source=../versions.sh
. "${images_folder:?}/versions.sh"
if [ "${containers:-slipway}" != pyxis ]; then
  echo "    containers are by ${containers:-slipway}, not by pyxis"
  exit 0
fi
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT

# clone NAME VERSION COMMIT: NVIDIA's repository NAME, which must be at the commit
clone() {
  local commit
  git clone --quiet --depth 1 --branch "$2" "$github_mirror/NVIDIA/$1" "$build/$1"
  commit=$(git -C "$build/$1" rev-parse HEAD)
  case $commit in
    "$3"*) ;;
    *) echo "$1 $2 is $commit, not $3: its tag has moved, or the mirror is wrong" >&2 && exit 1 ;;
  esac
}

apt_install git gcc make libc6-dev libcap2-bin libslurm-dev curl gawk jq parallel zstd pigz fuse-overlayfs bsdextrautils

# enroot's own sources name GitHub. Its helpers are built against the system's C library: musl, which they use otherwise, is not
# on GitHub.
export GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0="url.$github_mirror/.insteadOf" GIT_CONFIG_VALUE_0=https://github.com/ \
  GIT_CONFIG_KEY_1=submodule.deps/musl.update GIT_CONFIG_VALUE_1=none
clone enroot "$enroot_version" "$enroot_commit"
git -C "$build/enroot" submodule --quiet update --init deps/makeself deps/linux-headers
# Its `install` removes /etc/enroot, so what another step wrote there is added again.
cp -a /etc/enroot "$build/settings"
make -C "$build/enroot" prefix=/usr sysconfdir=/etc FORCE_GLIBC=1 install >"$build/log" 2>&1 || { tail -n 40 "$build/log" && exit 1; }
cat "$build/settings/enroot.conf" >>/etc/enroot/enroot.conf
# Users need a folder of their own where there is no login session.
# shellcheck disable=SC2016  # Enroot expands it
echo 'ENROOT_RUNTIME_PATH /run/enroot/user-$(id -u)' >>/etc/enroot/enroot.conf
# In a file system of its own: users who fill it must not fill /run, which daemons need.
cat >/etc/systemd/system/run-enroot.mount <<'END'
[Unit]
Description=Folders of users for the containers that run

[Mount]
What=tmpfs
Where=/run/enroot
Type=tmpfs
Options=mode=1777,nosuid,nodev,size=20%,nr_inodes=500k

[Install]
WantedBy=local-fs.target
END
systemctl --root=/ enable run-enroot.mount 2>/dev/null
make -C "$build/enroot" prefix=/usr sysconfdir=/etc setcap >>"$build/log" 2>&1 || { tail -n 40 "$build/log" && exit 1; }
# These two hooks are what PyTorch and PMI need.
for hook in 50-slurm-pmi.sh 50-slurm-pytorch.sh; do
  install -m 755 "$build/enroot/conf/hooks/extra/$hook" /etc/enroot/hooks.d/
done

# Built here, against this release's Slurm. A cluster's plugstack.conf includes the folder above nccl_env.
clone pyxis "$pyxis_version" "$pyxis_commit"
make -C "$build/pyxis" prefix=/usr/local install >"$build/log" 2>&1 || { tail -n 40 "$build/log" && exit 1; }
mkdir -p /etc/slurm/plugstack.conf.d
echo "required /usr/local/lib/slurm/spank_pyxis.so${pyxis_arguments:+ $pyxis_arguments}" >/usr/local/share/pyxis/pyxis.conf
ln -sf /usr/local/share/pyxis/pyxis.conf /etc/slurm/plugstack.conf.d/pyxis.conf
