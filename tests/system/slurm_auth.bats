# auth/slurm and the units of images, for real: machines of a fake Google Cloud run Debian 13 with its Slurm and systemd,
# from a root that mmdebstrap makes. Takes minutes, and needs Debian's archive: ./test.sh --images

# bats file_tags=apart,alone
load helper
load google_helper

C=auth-controller
N=auth-cpunodes-0
L=auth-login-001
KEPT=$TOP/build/image-roots/slurm-auth

# make_root: Debian 13 with Slurm, and this build of Slipway with the libraries that Debian 13 does not have
make_root() {
  [ ! -e "$KEPT.made" ] || return 0
  rm -rf "$KEPT"
  mkdir -p "${KEPT%/*}"
  mmdebstrap --quiet --variant=minbase --aptopt='Acquire::Check-Valid-Until "false"' \
    --include=ca-certificates,curl,dbus,iproute2,kmod,libnss-extrausers,nftables,procps,sackd,slurm-client,slurmctld,slurmd,slurmdbd,slurm-wlm-mysql-plugin,mariadb-server-core,systemd,systemd-sysv \
    trixie "$KEPT" http://deb.debian.org/debian
  chroot "$KEPT" systemctl disable munge slurmctld slurmd slurmdbd sackd 2>/dev/null
  touch "$KEPT.made"
}

# install_slipway: what the recipe's step `slipway` does, with this build
install_slipway() {
  local library
  rm -rf "$KEPT/opt/slipway"
  cp -a "$SUITE/prefix" "$KEPT/opt/slipway"
  rm -rf "$KEPT"/opt/slipway/lib/slipway/spank/* # built for this machine's Slurm
  mkdir -p "$KEPT/opt/host"
  for library in $(ldd "$SUITE/prefix/bin/slipway" | awk '/libfmt|libboost|libmd|libre2|libunistring|libyaml/ { print $3 }'); do
    cp -L "$library" "$KEPT/opt/host/"
  done
  echo /opt/host >"$KEPT/etc/ld.so.conf.d/host.conf"
  chroot "$KEPT" ldconfig
  cp "$TOP"/images/slipway-*.service "$TOP"/images/slipway-*.timer "$KEPT/etc/systemd/system/"
  chroot "$KEPT" systemctl enable slipway-guard.service slipway-node.service 2>/dev/null
  # The recipe's own lines.
  sed -n '/^for daemon in munge/,/^done/p' "$TOP/images/steps/20-slurm.sh" | chroot "$KEPT" bash -eu
}

setup_file() {
  make_root
  install_slipway
  export MACHINES_IMAGE=$KEPT
  cloud_start "$TOP/tests/system/slurm_auth.yaml"
  machine_start $C $N $L
  wait_for node_is_idle $C $N || { machine $C journalctl --no-pager --unit=slipway-node | tail -n 20 && false; }
}

teardown_file() { cloud_stop; }

@test "auth/slurm: Slurm 24.11's daemons know each other by the cluster's key, without munge" {
  run machine $C sinfo --version
  says " 24.11."
  run machine $C scontrol show config
  [[ "$output" == *"AuthType                = auth/slurm"* && "$output" == *"CredType                = cred/slurm"* ]]
  run machine $C srun hostname
  says "$N"
  for name in $C $N $L; do
    [ "$(machine $name stat -c '%a %U' /etc/slurm/slurm.key)" = "600 slurm" ]
    run machine $name systemctl is-active munge.service
    [ "$output" = inactive ]
  done
  run machine $C sacct --noheader --format=State --allocations
  says COMPLETED
}

@test "auth/slurm: a user on a login node, whom only a directory knows, runs a job through sackd" {
  local name
  wait_for machine $L systemctl is-active --quiet sackd.service
  for name in $C $N $L; do
    machine $name sh -c 'mkdir -p /var/lib/extrausers
      echo "alice:x:5000:5000:Alice:/tmp:/bin/sh" >/var/lib/extrausers/passwd
      echo "alice:x:5000:" >/var/lib/extrausers/group
      printf "passwd: files extrausers\ngroup: files extrausers\nhosts: files dns\n" >/etc/nsswitch.conf'
  done
  machine $L grep -q alice /etc/passwd && false
  run machine $L setpriv --reuid=alice --regid=alice --init-groups --inh-caps=-all srun --chdir=/tmp id --user --name
  says alice
  run machine $L setpriv --reuid=alice --regid=alice --init-groups cat /etc/slurm/slurm.key
  [ "$status" -ne 0 ]
}

@test "systemd: the reconciler's timer and unit run on the controller, and the follower's on the others" {
  ran() { machine "$1" journalctl --no-pager --output=cat --unit="$2" | grep -q Finished; }
  run machine $C systemctl is-active slipway-reconcile.timer
  says active
  wait_for ran $C slipway-reconcile.service
  run machine $C systemctl show --property=Result,ExecMainStatus slipway-reconcile.service
  says "Result=success"
  for name in $N $L; do
    run machine $name systemctl is-active slipway-follow.timer
    says active
    machine $name systemctl start slipway-follow.service
    run machine $name systemctl show --property=Result slipway-follow.service
    says "Result=success"
  done
  run machine $C systemctl is-active slipway-follow.timer
  [ "$output" = inactive ]
}

@test "systemd: a changed configuration reaches slurmctld and slurmd from inside their units' limits" {
  new_setting MaxArraySize 777
  machine $C systemctl start slipway-reconcile.service
  machine $C scontrol show config | grep -q 'MaxArraySize *= 777'
  machine $N systemctl start slipway-follow.service
  machine $N grep -qx MaxArraySize=777 /etc/slurm/slurm.conf
  machine $N systemctl is-active --quiet slurmd.service
  wait_for node_is_idle $C $N
}

@test "systemd: daemons of Slurm that are killed come back" {
  local before
  before=$(machine $C systemctl show --value --property=MainPID slurmctld.service)
  machine $C pkill -KILL -x slurmctld
  machine $N pkill -KILL -x slurmd
  is_another() { [ "$(machine $C systemctl show --value --property=MainPID slurmctld.service)" != "$before" ] && machine $C scontrol ping | grep -q UP; }
  wait_for is_another
  wait_for machine $N systemctl is-active --quiet slurmd.service
  wait_for node_is_idle $C $N
}

# startup_script SHELL: what Google's guest agent would run at the next start of its unit
startup_script() {
  machine $L sh -c 'cat >/etc/systemd/system/google-startup-scripts.service && systemctl daemon-reload' <<UNIT
[Service]
Type=oneshot
ExecStart=/bin/sh -c '$1'
UNIT
  machine $L systemctl start --no-block google-startup-scripts.service
}

@test "systemd: a startup script that takes longer than its limit is ended with its children, and the machine does not join" {
  cannot_join() { machine $L journalctl --no-pager --output=cat --unit=slipway-node.service | grep -qF "$1"; }
  startup_script 'sleep 2987 & sleep 2987'
  machine $L systemctl restart --no-block slipway-node.service
  wait_for cannot_join "the startup script failed: it took longer than 4 s and was ended"
  run machine $L systemctl is-active google-startup-scripts.service
  [ "$status" -ne 0 ]
  run machine $L pgrep -f 'sleep 2987'
  [ "$output" = "" ]
  # The next try does not believe that it ended well, either.
  machine $L systemctl reset-failed slipway-node.service
  run machine $L systemctl restart slipway-node.service
  [ "$status" -ne 0 ]
  # Once its cause is mended, the machine joins.
  startup_script 'mkdir -p /run/slipway; echo done >/run/slipway/startup-script'
  machine $L systemctl restart slipway-node.service
  machine $L systemctl is-active --quiet slipway-node.service
}
