# shellcheck shell=bash
# The Slurm of a site in a clean root, for packages_in_root.sh and slurm_releases_in_root.sh; tests/system/site_helper.bash has its
# slurm.conf.

# said NAME: what comes in, on one line
said() { echo "$1: $(tr '\n' ' ' | sed 's/ *$//')"; }

# start_munge: as the site does, with a key of its own
start_munge() {
  mkdir -p "$SITE"/{state,spool,log,run} /run/munge
  head -c 1024 /dev/urandom >"$SITE/key"
  chmod 600 "$SITE/key"
  munged --force --num-threads=2 --key-file="$SITE/key" --socket="$SITE/run/munge.socket" --pid-file="$SITE/run/munged.pid" \
    --log-file="$SITE/log/munged.log" --seed-file="$SITE/run/munge.seed" 2>/dev/null
  ln -sfn "$SITE/run/munge.socket" /run/munge/munge.socket.2 # where clients look for it
}

# start_network: an interface, without which Slurm resolves no name
start_network() {
  ip link add eno1 type veth peer name wire
  ip address add 10.77.0.1/24 dev eno1
  ip link set eno1 up
  ip link set wire up
  ip route add default via 10.77.0.254
}

# start_slurm: a site's own cluster of two nodes, of which one is switched off
start_slurm() {
  start_network
  [ -e /etc/slurm/slurm.conf ] || site_slurm_conf >/etc/slurm/slurm.conf
  echo CgroupPlugin=cgroup/v1 >/etc/slurm/cgroup.conf
  start_munge
  slurmctld
  start_slurmd
}

# start_units: the same by the units of the distribution, under systemd
start_units() {
  start_network
  mkdir -p "$SITE"/{state,spool,log,run} /etc/slurm
  chown slurm "$SITE"/{state,log,run}
  { site_slurm_conf | sed 's/^SlurmUser=.*/SlurmUser=slurm/; /^AuthInfo/d' && printf '\nSelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\n'; } >/etc/slurm/slurm.conf
  echo CgroupPlugin=cgroup/v1 >/etc/slurm/cgroup.conf
  systemctl start munge slurmctld slurmd
  wait_until_idle 1
}

start_slurmd() {
  slurmd -N here 2>/dev/null || slurmd
  wait_until_idle 1
}

# wait_until_idle NUMBER: so many nodes are idle
wait_until_idle() {
  local end=$((SECONDS + 60))
  until [ "$(sinfo --noheader --Node --states=idle --responding --format=%N 2>/dev/null | sort -u | wc -l)" -ge "$1" ]; do
    if [ $SECONDS -ge $end ]; then cat "$SITE"/log/* >&2 && return 1; fi
    sleep 0.2
  done
}

# end_daemon NAME: as systemd does, which kills what does not end: slurmd 24.11 may hang if it was reconfigured just before
end_daemon() {
  local end=$((SECONDS + 20))
  pkill -x "$1"
  while pgrep -x --runstates R,S,D "$1" >/dev/null; do
    [ $SECONDS -lt $end ] || pkill -KILL -x "$1"
    sleep 0.1
  done
}

restart_slurm() {
  end_daemon slurmd
  scontrol reconfigure
  start_slurmd
}

stop_slurm() {
  local name
  for name in slurmctld slurmd munged; do end_daemon "$name"; done
}

# job_with_plugin: the exit status of a job, and whether nccl_env accepts its option and refuses a wrong value
job_with_plugin() {
  local status word=show
  srun --nodelist=here --nccl-env=show true >&2
  status=$?
  if srun --nodelist=here --nccl-env=wrong true 2>/dev/null; then word=anything; fi
  echo "$status $word"
}
