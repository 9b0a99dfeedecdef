#!/usr/bin/env bash
# Makes clean systems of a Debian release a cluster, as docs/start/own-machines.md describes it: each has its own systemd, an SSH
# server and nothing of Slurm. They get Slurm from the release, and Slipway from packages. Then a job, a second deploy, a machine
# that boots again, and a destroy.
#
#   tests/own_machines.sh [RELEASE]           builds the packages first, for this machine's release by default. As root, with
#                                             Debian's archive and a built tree
#   tests/own_machines.sh --have FOLDER …     takes the packages in FOLDER/RELEASE, as `tests/packages.sh --keep FOLDER` left them
#   tests/own_machines.sh --help              this text
#
# The last line is 'N passed, N failed'.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh

packages=''
if [ "${1:-}" = --have ]; then
  packages=$(cd "$2" && pwd)
  shift 2
elif [ "${1:-}" = --help ]; then
  sed -n '/^set /q; s/^# \{0,1\}//p' tests/own_machines.sh | tail -n +2
  exit
fi
[ "$(id -u)" -eq 0 ] || die "this needs root, for clean systems that are thrown away"
. /etc/os-release
release=${1:-${VERSION_CODENAME:-sid}}
slipway=$PWD/build/prefix/bin/slipway
[ -x "$slipway" ] || die "there is no $slipway; ./quickstart.sh builds it"
machines=(head login1 gpu1 gpu2)
passed=0
failed=0

# check WHAT COMMAND...
check() {
  local what=$1
  shift
  if "$@" >"$work/said" 2>&1; then
    passed=$((passed + 1))
    echo "ok     $what"
  else
    failed=$((failed + 1))
    echo "FAIL   $what"
    sed 's/^/         /' "$work/said"
  fi
}

work=$(mktemp -d /var/tmp/slipway-own-machines.XXXXXX)
trap 'clean_up' EXIT

clean_up() {
  local name
  for name in "${machines[@]}"; do stop "$name"; done
  ip link delete sw-own 2>/dev/null || true
  rm -rf --one-file-system "$work"
}

# make_systems: all from one, whose apt has fetched what they will install
make_systems() {
  local base=$work/base name
  scripts/root.sh make "$release" "$base" --include=dropbear-bin,systemd,systemd-sysv,dbus,iproute2,procps,openssh-client
  mkdir -p "$base/home/tester/slipway/packages"
  cp "$packages/$release"/*.deb "$base/home/tester/slipway/packages/"
  # shellcheck disable=SC2016  # for the shell in there
  scripts/root.sh enter "$base" sh -ec 'apt-get -qq update
    apt-get -qq install --download-only --yes --no-install-recommends munge slurm-client slurmctld slurmd openmpi-bin libpmix-dev ./packages/*.deb
    rm -r packages' >/dev/null
  mkdir -p "$base/root/.ssh" "$base/etc/dropbear"
  chmod 700 "$base/root/.ssh"
  ssh-keygen -q -t ed25519 -N '' -f "$work/key"
  cp "$work/key.pub" "$base/root/.ssh/authorized_keys"
  {
    echo '127.0.0.1 localhost'
    for name in "${machines[@]}"; do echo "$(address "$name") $name"; done
  } >"$base/etc/hosts"
  for name in "${machines[@]}"; do
    cp -a "$base" "$work/$name"
    echo "$name" >"$work/$name/etc/hostname"
  done
}

# address NAME: on the network of these machines
address() {
  local i
  for i in "${!machines[@]}"; do [ "${machines[i]}" != "$1" ] || echo "10.199.77.$((i + 1))"; done
}

# first_of NAME: its systemd
first_of() { pgrep -P "$(pgrep -P "$(cat "$work/$1.pid")" unshare)"; }

# beside NAME COMMAND...: on that machine, without ssh
beside() {
  local first
  first=$(first_of "$1")
  shift
  nsenter --target "$first" --mount --pid --net --ipc --uts --cgroup --root --wd -- \
    env HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

# start NAME: boots it, and connects it
start() {
  local name=$1 first
  scripts/root.sh boot "$work/$name" sleep infinity >/dev/null 2>&1 &
  echo $! >"$work/$name.pid"
  until first=$(first_of "$name" 2>/dev/null) && [ -n "$first" ]; do sleep 0.05; done
  # Before its services start, like a real one's.
  ip link add "sw-$name" type veth peer name eth0 netns "$first"
  ip link set "sw-$name" master sw-own up
  nsenter --target "$first" --net ip addr add "$(address "$name")/24" dev eth0
  nsenter --target "$first" --net ip link set eth0 up
  for _ in {1..600}; do
    ! beside "$name" systemctl is-system-running 2>/dev/null | grep -qx 'running\|degraded' || break
    sleep 0.2
  done
  beside "$name" systemd-run --quiet --unit=ssh-server dropbear -F -R
}

stop() {
  local boot
  boot=$(cat "$work/$1.pid" 2>/dev/null) || return 0
  # It ends systemd, and with that all others.
  pkill -KILL -P "$boot" unshare || true
  wait "$boot" 2>/dev/null || true
  rm -f "$work/$1.pid"
}

# write_blueprint NODES
write_blueprint() {
  sed '/^machines:/,/^deployment_groups:/{/^deployment_groups:/!d}' examples/own-machines.yaml >"$work/lab.yaml"
  cat >>"$work/lab.yaml" <<YAML
machines:
  ssh: {user: root, identity_file: $work/key, options: [StrictHostKeyChecking=no, UserKnownHostsFile=/dev/null, LogLevel=ERROR]}
  packages: $packages
  hosts:
    controller: head=$(address head)
    login: login1=$(address login1)
    nodes: [$(for name in "$@"; do printf '%s=%s, ' "$name" "$(address "$name")"; done)]
${settings:-}
YAML
}

# has_services HOST BOOT NOW: the states of slipway-metrics and slipway-tell, at boot and now
has_services() {
  local name=$1 boot=$2 now=$3
  [ "$(beside "$name" systemctl is-enabled slipway-metrics slipway-tell | sort -u)" = "$boot" ] &&
    [ "$(beside "$name" systemctl is-active slipway-metrics slipway-tell | sort -u)" = "$now" ]
}
# services_begin: and those of the controller alone on it
services_begin() {
  settings='settings: {controller: {monitoring: metrics, health_policy: {tell: {program: /bin/true}}}}'
  write_blueprint gpu1 gpu2
  deploys && has_services head enabled active && [ "$(beside gpu1 systemctl is-active slipway-metrics)" = active ] &&
    [ "$(beside gpu1 systemctl is-active slipway-tell)" = inactive ]
}
services_end() {
  settings=
  write_blueprint gpu1 gpu2
  deploys && has_services head disabled inactive
}

# timed COMMAND...: the seconds that it took are shown
timed() {
  local begin=${EPOCHREALTIME//[.,]/} status=0
  "$@" || status=$?
  printf '%s: %d ms\n' "$1" $(((${EPOCHREALTIME//[.,]/} - begin) / 1000)) >>"$work/times"
  return $status
}

deploys() { "$slipway" deploy "$work/lab.yaml" --auto-approve --timeout 120; }
all_idle() { [ "$(beside login1 sinfo --noheader --format='%D %T')" = "2 idle" ]; }
# Not at once: Slurm notices only later that a machine was gone. And with Slurm 22.05 and Linux 6.18, the first step in a young
# mount namespace may fail ("ns base mount failed: Invalid argument" in slurmd's log), which ends an srun.
serves_jobs() {
  local tries
  for tries in {1..30}; do
    if all_idle && runs_a_job; then
      echo "jobs: $tries tries" >>"$work/times"
      return
    fi
    sleep 2
  done
  beside login1 sinfo --Node --long
  return 1
}
runs_a_job() {
  local out name
  out=$(beside login1 timeout 60 srun --chdir=/ --nodes=2 hostname 2>&1 | sort | xargs)
  echo "$out"
  [ "$out" = "gpu1 gpu2" ] && return
  for name in gpu1 gpu2; do beside "$name" tail -n 15 /var/log/slurm/slurmd.log; done
  beside head tail -n 15 /var/log/slurm/slurmctld.log
  return 1
}
processes() { for name in head gpu1 gpu2; do beside "$name" pgrep -x 'slurmctld|slurmd|munged'; done; }
changes_nothing() {
  local before out
  before=$(processes)
  out=$(deploys 2>&1)
  echo "$out"
  [[ "$out" != *wrote* && "$out" != *install* ]] && [ "$(processes)" = "$before" ]
}
is_left() {
  local name
  for name in "${machines[@]}"; do
    ! beside "$name" test -e /etc/slurm/slurm.conf && ! beside "$name" pgrep -x 'slurmctld|slurmd' || return
  done
  beside gpu1 dpkg-query --show slurmd slipway-node && beside head test -e /var/spool/slurmctld/job_state
}
is_recorded() { beside head /opt/slipway/bin/slipway --version && beside gpu1 systemctl is-enabled slurmd munge slipway-joined; }

if [ -z "$packages" ]; then
  packages=$work/packages
  scripts/release.sh --in "$release" "$packages"
fi
say "own machines: four clean systems of $release"
make_systems
ip link add sw-own type bridge
ip link set sw-own up
ip addr add 10.199.77.254/24 dev sw-own
for name in "${machines[@]}"; do start "$name"; done
write_blueprint gpu1 gpu2
say "own machines: deploy"
check "a deploy installs everything, and all nodes are idle" timed deploys
check "all nodes are idle" all_idle
check "a job on both nodes" serves_jobs
check "units start at boot" is_recorded
check "a second deploy changes nothing" timed changes_nothing
check "services beside Slurm start when the blueprint asks for them" services_begin
check "services beside Slurm end when it no longer does" services_end
say "own machines: a machine boots again"
stop gpu1
start gpu1
check "a machine that boots again is back by itself, and runs jobs" serves_jobs
say "own machines: destroy"
check "a destroy" "$slipway" destroy "$work/lab.yaml" --auto-approve
check "it stops Slurm and removes its files; packages and state stay" is_left

echo
cat "$work/times"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
