# shellcheck shell=bash
# packages_in_root.sh STEP: a step of tests/packages.sh on a clean system, in the folder with the packages: without_root, install,
# use, upgrade, remove, purge, first_verdict or rpms. Prints a line 'NAME: VALUE' for each thing that is compared.
set -uo pipefail
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
here=$PWD
export SUITE=/run/slipway-site SITE=/run/slipway-site/site
. ./site_helper.bash
. ./slurm_in_root.bash
. ./without_root.bash

# The files of the system, byte by byte, but for what apt and dpkg write about themselves and the folders of programs that run
files() {
  local all=(find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /tmp -o -path /home -o -path /var/cache
    -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/lib/rpm -o -path /var/log/apt -o -path /var/log/dpkg.log -o -path /var/log/alternatives.log
    -o -path /etc/ld.so.cache -o -path /etc/resolv.conf \) -prune -o)
  "${all[@]}" -printf '%p %y %m %U %G %l\n' | sort
  "${all[@]}" -type f -print0 | sort -z | xargs -0 sha256sum
}

# keep_history, and same_history NAME: whether what the node has recorded is still the same, without the last health check,
# which a running slurmd repeats
recorded() { find /var/lib/slipway -type f ! -path '*/health/*' -exec sha256sum {} + | sort; }
keep_history() { recorded | tee /home/history >&2; }
same_history() { recorded | diff /home/history - >&2 && echo "$1: same"; }

# boot: what the packages do at each boot, and the site's Slurm
boot() {
  systemd-tmpfiles --create /usr/lib/tmpfiles.d/slipway-node.conf
  start_slurm
}

# start_training: submits a job whose program waits at step 20 until /home/upgraded is there, fails, resumes from its checkpoint
# and gets to step 60; then comes a step with the plugin. Waits for that step 20, and prints the job's number.
start_training() {
  local end=$((SECONDS + 60))
  mkdir -p /home/training
  cat >/home/training/train.sh <<'TEXT'
#!/bin/sh
step=$(cat checkpoint 2>/dev/null || echo 0)
while [ "$step" -lt 60 ]; do
  sleep 0.1
  step=$((step + 1))
  echo "$step" >"$SLIPWAY_PROGRESS"
  echo "$step" >checkpoint.new && mv checkpoint.new checkpoint
  if [ "$step" = 20 ]; then
    until [ -e /home/upgraded ]; do sleep 0.1; done
    exit 1
  fi
done
TEXT
  cat >/home/training/train.sbatch <<'TEXT'
#!/bin/sh
#SBATCH --nodelist=here --exclusive --no-kill --output=train.out
slipway launch --heartbeat 2 --ledger train.jsonl -- ./train.sh || exit
srun --nccl-env=show true
TEXT
  chmod 755 /home/training/train.sh
  sbatch --parsable --chdir=/home/training /home/training/train.sbatch
  until [ "$(cat /home/training/checkpoint 2>/dev/null || echo 0)" = 20 ]; do
    if [ $SECONDS -ge $end ]; then cat /home/training/train.out "$SITE"/log/* >&2 && return 1; fi
    sleep 0.1
  done
}

# finish_training JOB: lets it go on, and prints how it ended
finish_training() {
  local end=$((SECONDS + 60))
  touch /home/upgraded
  until scontrol show job "$1" | grep -q 'JobState=\(COMPLETED\|FAILED\)'; do
    [ $SECONDS -lt $end ] || break
    sleep 0.2
  done
  cat /home/training/train.out >&2
  slipway ledger /home/training/train.jsonl >/tmp/ledger
  cat /tmp/ledger >&2
  echo "$(scontrol show job "$1" | grep -o 'JobState=[A-Z]*'), $(cat /home/training/checkpoint) steps, $(grep -o '[0-9]* attempts' /tmp/ledger)"
}

units_at_boot() { systemctl --root=/ list-unit-files --no-legend 'slipway-*' | awk '{ print $1, $2 }'; }

# stage: of the last health check
stage() { sed -n 's/.*"stage": "\(.*\)".*/\1/p'; }

# stage_in_job: of the last health check when a job runs. Slurm's check between jobs may come in between, but not each time.
stage_in_job() {
  local try found
  for try in 1 2 3; do
    wait_until_idle 1
    found=$(srun --nodelist=here cat /var/lib/slipway/health/last.json | stage)
    if [ "$found" = prolog ]; then break; fi
    echo "try $try: $found" >&2
  done
  echo "$found"
}

install() {
  mkdir -p /etc/slurm
  cp -a /etc/slurm /home/slurm
  echo '10.77.0.1 here' >>/etc/hosts
  apt-get update -qq
  # What they depend on comes first, and stays.
  apt-get install -y -qq --no-install-recommends "$here"/one/*.deb >&2 || return
  apt-get purge -y -qq 'slipway*' >&2
  files >/home/files-before
  dpkg --install "$here"/one/*.deb >&2 || return
  dpkg-query --show --showformat='${db:Status-Status}\n' 'slipway*' | grep -c '^installed' | said installed
}

use() {
  local complaints
  command -v slipway | said "in PATH"
  slipway --version | awk '{ sub(",", "", $2); print $2; exit }' | said version
  slipway check /opt/slipway/share/slipway/examples/quickstart.yaml >&2; echo "check: $?"
  slipway explain E0203 >&2; echo "explain: $?"
  man --where slipway-deploy all_gather_perf slipway-node-profile nccl_env 2>/dev/null | grep -c . | said "manual pages"
  bash -ic '. /usr/share/bash-completion/bash_completion; _comp_load slipway 2>/dev/null || __load_completion slipway
    complete -p slipway' 2>/dev/null | grep -c slipway | said completion
  logrotate --debug /etc/logrotate.d/slipway-node >&2; echo "logrotate: $?"
  complaints=$(systemd-analyze verify --man=no /usr/lib/systemd/system/slipway-*.service 2>&1)
  echo "$complaints" >&2
  grep -c slipway- <<<"$complaints" | said units
  units_at_boot | said "units at boot"

  boot || return
  stat -c '%a %U' /run/slipway | said "folder for the time until the next boot"
  echo 'include /opt/slipway/lib/slipway/spank/container/*.conf' >/etc/slurm/plugstack.conf # as docs/start/existing-slurm.md says
  slipway cluster describe --yes --nodes here >&2; echo "describe the cluster: $?"
  restart_slurm
  scontrol show config | grep -c 'HealthCheckProgram *= /opt/slipway/libexec/slipway/health' | said "Slurm has the checks"
  job_with_plugin | said "a job with the plugin"
  srun --help 2>&1 | grep -o -e --nccl-env= -e --auto-resume= -e --container-image= -e --health= | sort -u | said "options of the plugins"
  wait_until_idle 1
  rm -rf /var/lib/slipway/health
  /opt/slipway/libexec/slipway/health
  stage </var/lib/slipway/health/last.json | said "a check between jobs"
  stage_in_job | said "a check before a job"
  srun --nodelist=here --ntasks=2 --overcommit all_gather_perf -b 8 -e 1K -f 2 -n 2 -w 1 --report /tmp/report.json >&2
  echo "bandwidth in a job: $?"
  slipway bandwidth record /tmp/report.json >&2; echo "recorded: $?"
  stop_slurm
  keep_history
}

upgrade() {
  local job
  boot || return
  job=$(start_training) || return
  dpkg --install "$here"/two/*.deb >&2
  same_history "history after the upgrade"
  slipway bandwidth history --json | grep all_gather >&2; echo "records after the upgrade: $?"
  dpkg-query --show --showformat='${Version}\n' 'slipway*' | grep -c '+1$' | said upgraded
  units_at_boot | said "units after the upgrade"
  finish_training "$job" | said "a job through the upgrade"
  wait_until_idle 1 && job_with_plugin | said "a job after the upgrade"
  restart_slurm && job_with_plugin | said "a job after the restart"
  slipway cluster describe --undo --yes --nodes here >&2; echo "undo: $?"
  stop_slurm
  rm -r /home/training /home/upgraded
  keep_history
}

remove() {
  echo '# BEGIN Slipway' >/etc/slurm/plugstack.conf
  # shellcheck disable=SC2046  # one name a line
  dpkg --remove $(dpkg-query --show --showformat='${Package}\n' 'slipway*') >/tmp/remove.log 2>&1
  cat /tmp/remove.log >&2
  grep -c 'still names the plugins' /tmp/remove.log | said "the removal names the lines"
  # What the site wrote
  rm -r /etc/slurm
  cp -a /home/slurm /etc/slurm
  same_history "history after the removal"
  find / -xdev \( -path /proc -o -path /home -o -path /tmp -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/cache -o -path /etc/systemd/system \
    -o -path /var/lib/systemd \) -prune -o \
    -iname '*slipway*' -print | sort | said "what the removal leaves"
}

purge() {
  apt-get purge -y -qq 'slipway*' >/tmp/purge.log 2>&1
  cat /tmp/purge.log >&2
  same_history "history after the purge"
  grep -c "/var/lib/slipway.* not empty so not removed" /tmp/purge.log | said "the purge says so"
  rm -r /var/lib/slipway
  { files | diff /home/files-before - | grep '^[<>]' || true; } | said "left behind"
}

# first_verdict: from a site's running Slurm, without Slipway, to the verdict on the node of a job: the commands of
# docs/start/existing-slurm.md, and how long they take where what the packages depend on is there already. systemd runs the
# daemons, and a job runs meanwhile.
first_verdict() {
  local begin seconds job end
  start_units || return
  job=$(sbatch --parsable --nodelist=here --output=/dev/null --wrap 'until [ -e /home/go ]; do sleep 0.2; done')
  begin=$EPOCHREALTIME
  apt-get install -y -qq --no-install-recommends "$here"/two/*.deb >&2 || return
  slipway cluster describe --apply --yes --nodes here >&2 || return
  until [ "$(stage </var/lib/slipway/health/last.json 2>/dev/null)" = prolog ]; do
    [ "${EPOCHREALTIME%.*}" -lt $((${begin%.*} + 300)) ] || break
    srun --nodelist=here true >&2
  done
  seconds=$((${EPOCHREALTIME/./} - ${begin/./}))
  cat /var/lib/slipway/health/last.json >&2
  echo "seconds to the first verdict: $((seconds / 1000000)).$((seconds / 100000 % 10))"
  slipway cluster describe --undo --apply --yes --nodes here >&2; echo "undo under systemd: $?"
  touch /home/go
  end=$((SECONDS + 60))
  until scontrol show job "$job" | grep -q 'JobState=\(COMPLETED\|FAILED\)' || [ $SECONDS -ge $end ]; do sleep 0.2; done
  scontrol show job "$job" | grep -o -e 'JobState=[A-Z]*' -e 'Restarts=[0-9]*' | said "a job through these commands"
  systemctl stop slurmd slurmctld
  apt-get purge -y -qq 'slipway*' >&2
  rm -rf /var/lib/slipway /etc/slurm /home/go
  cp -a /home/slurm /etc/slurm
}

# The RPMs, on a system that has no other and so nothing that they need: their files, their scripts, and what they leave. Debian's
# rpm keeps its database elsewhere by default.
rpms() {
  local rpm=(rpm --dbpath /var/lib/rpm)
  files >/home/files-before
  "${rpm[@]}" --install --nodeps "$here"/*.rpm >&2
  "${rpm[@]}" --query --all | grep -c . | said "RPMs installed"
  "${rpm[@]}" --verify --all --nodeps | said "files that differ from the RPMs'"
  files | diff /home/files-before - | grep -c '^<' | said "files that the RPMs changed"
  slipway --version | awk '{ sub(",", "", $2); print $2; exit }' | said "version from the RPM"
  systemctl --root=/ is-enabled slipway-transport.service | said "the RPM's unit at boot"
  echo history >/var/lib/slipway/history
  "${rpm[@]}" --upgrade --replacepkgs --nodeps "$here"/*.rpm >&2
  stat -c '%a %U' /run/slipway | said "folder after the RPMs' upgrade"
  systemctl --root=/ is-enabled slipway-transport.service | said "the unit after the RPMs' upgrade"
  echo '# BEGIN Slipway' >/etc/slurm/plugstack.conf
  "${rpm[@]}" --query --all | xargs "${rpm[@]}" --erase >/tmp/erase.log 2>&1
  cat /tmp/erase.log >&2
  grep -c 'still names the plugins' /tmp/erase.log | said "the RPMs' removal names the lines"
  rm -r /etc/slurm
  cp -a /home/slurm /etc/slurm
  { files | diff /home/files-before - || true; } | sed -n 's/^[<>] \(\/[^ ]*\).*/\1/p' | said "what the RPMs leave"
}

"$1"
