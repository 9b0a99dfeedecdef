# A cluster that something else deployed: a site's own slurm.conf, munge key and daemons, in mount, PID and network namespaces
# of its own, with a copy of /etc that is thrown away and a /opt with Slipway only. An ordinary user is root there, in a user
# namespace. One node answers, another is switched off.

SITE=$SUITE/site

# What makes an ordinary user root in there
into_site=(nsenter) make_site=(unshare)
if [ "$(id -u)" != 0 ]; then
  into_site+=(--user)
  make_site+=(--user --map-root-user --map-auto)
fi

# in_site COMMAND...: runs a command as root of the site
in_site() { "${into_site[@]}" --target "$(cat "$SITE/holder")" --mount --pid --net -- env PATH="$PATH:/usr/sbin" SLURM_CONF=/etc/slurm/slurm.conf "$@"; }

# What an administrator wrote. The last line has no line feed.
site_slurm_conf() {
  cat <<EOF
# Cluster of the department; ask Ana before you change this.
ClusterName=department
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmctldPort=17817
SlurmdPort=17818
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$SITE/run/munge.socket
StateSaveLocation=$SITE/state
SlurmdSpoolDir=$SITE/spool
SlurmctldPidFile=$SITE/run/slurmctld.pid
SlurmdPidFile=$SITE/run/slurmd.pid
SlurmctldLogFile=$SITE/log/slurmctld.log
SlurmdLogFile=$SITE/log/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmdParameters=config_overrides
ReturnToService=2
SchedulerParameters=bf_interval=5
NodeName=here NodeHostname=$(hostname) NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
NodeName=away NodeAddr=127.0.0.9 CPUs=2 State=UNKNOWN
EOF
  printf 'PartitionName=main Nodes=ALL Default=YES State=UP'
}

# Runs in the namespaces: a copy of /etc, other folders of its own, then the daemons.
site_inside() {
  # Slurm resolves no name without an interface that has an address.
  ip link set lo up
  ip link add eno1 type veth peer name wire
  ip address add 10.77.0.1/24 dev eno1
  ip link set eno1 up
  ip link set wire up
  ip route add default via 10.77.0.254
  mount -t tmpfs tmpfs "$SITE/etc"
  cp --archive /etc/. "$SITE/etc/" 2>"$SITE/log/copy" || [ -f "$SITE/etc/passwd" ] # some files are only the machine's root's
  mount --bind "$SITE/etc" /etc
  for folder in /opt /var/log /var/lib; do mount -t tmpfs -o mode=755 tmpfs "$folder"; done
  if [ -d /run/systemd ]; then mount -t tmpfs -o mode=755 tmpfs /run/systemd; fi # the machine's systemd runs no daemon of the site
  rm -rf /etc/slurm /etc/slipway
  mkdir /etc/slurm /opt/slipway /var/log/slurm /var/lib/slipway
  mount --bind "$SUITE/prefix" /opt/slipway
  site_slurm_conf >/etc/slurm/slurm.conf
  # Newer releases need cgroups unless a setting that 22.05 does not know turns them off.
  case $(slurmd -V) in *" 22."*) ;; *) echo CgroupPlugin=disabled >/etc/slurm/cgroup.conf ;; esac
  head -c 1024 /dev/urandom >"$SITE/key"
  chmod 600 "$SITE/key"
  munged --force --num-threads=2 --key-file="$SITE/key" --socket="$SITE/run/munge.socket" --pid-file="$SITE/run/munged.pid" \
    --log-file="$SITE/log/munged.log" --seed-file="$SITE/run/munge.seed"
  slurmctld
  slurmd -N here 2>/dev/null || slurmd
  exec sleep infinity
}

start_site() {
  mkdir -p "$SITE"/{state,spool,log,run,etc}
  export SITE SUITE
  export -f site_inside site_slurm_conf
  PATH=$PATH:/usr/sbin "${make_site[@]}" --mount --propagation private --pid --net --fork --kill-child --mount-proc \
    bash -euc site_inside >"$SITE/log/inside" 2>&1 3>&- &
  echo $! >"$SITE/unshare"
  local end=$((SECONDS + 60))
  while [ $SECONDS -lt $end ]; do
    pgrep -P "$(cat "$SITE/unshare")" >"$SITE/holder" && in_site sinfo --noheader --nodes=here --format=%t 2>/dev/null | grep -q idle && return
    sleep 0.2
  done
  cat "$SITE"/log/*
  return 1
}

stop_site() {
  in_site rm -rf "$SITE/home" || true # others' files
  # The first process of the PID namespace: all others end with it. unshare itself ignores SIGTERM.
  kill -KILL "$(cat "$SITE/holder")" 2>/dev/null || true
  rm -rf "$SITE"
}

# The site's own files, byte by byte
site_files() { in_site sh -c 'cd /etc && find slurm slipway -type f -exec sha256sum {} + 2>/dev/null | sort'; }

# as_someone COMMAND...: runs a command as an ordinary user of the site, who has Slipway in the home folder only
as_someone() {
  in_site sh -c 'id someone >/dev/null 2>&1 || {
    useradd --no-create-home --home-dir "$0/home" someone && mkdir -p "$0/home" && cp -r /opt/slipway "$0/home/slipway" && chown someone "$0/home"; }' "$SITE"
  in_site runuser -u someone -- env HOME="$SITE/home" PATH="$SITE/home/slipway/bin:/usr/bin:/bin" CUDA_VISIBLE_DEVICES=0 SLURM_EXPORT_ENV=ALL,SLURM_HET_SIZE=2 "$@"
}
