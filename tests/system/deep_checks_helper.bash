# Shared by tests of deep checks, about the deployment NAME, whose nodes are N-0 to N-4.

# One GPU a node keeps checks short. A scan judges pairs only among five nodes or more, and finds only slow pairs that lose
# most of their bandwidth: nodes here share two processors with other tests.
deep_checks_blueprint() {
  sed -e 's/a3-megagpu-8g/a2-highgpu-1g/' -e 's/node_count_static: 4/node_count_static: 5/' -e 's/CoresPerSocket: 52/CoresPerSocket: 6/' \
    -e '/bandwidth_tier/d' -e '/advanced_machine_features/,+1d' "$TOP/examples/quickstart.yaml" && cat <<'BLUEPRINT'
      health_policy:
        deep_checks: {when: [boot, return], retry_minutes: 0.1, detect_percent: 75, scan_mib: 4}
BLUEPRINT
}

# log_of_checks: what the service on the controller has done, with the times
log_of_checks() { on $NAME controller cat /var/log/slurm/admission.log; }

# log_says TEXT [LINES]: the service has logged it, after that many lines
log_says() { log_of_checks | tail -n "+$((${2:-0} + 1))" | grep -qF -- "$1"; }

# serves NODE: jobs may have it
serves() { node_is "$1" idle && ! reserves "$1"; }

all_serve() {
  local i
  for i in 0 1 2 3 4; do serves $N-$i || return 1; done
}

reserves() {
  on $NAME controller sh -c 'scontrol show hostnames "$(scontrol --oneliner show reservation slipway-deep-checks 2>/dev/null |
    sed -n "s/.* Nodes=\([^ ]*\) .*/\1/p")"' | grep -qxF "$1"
}

reason_is() { reason_of "$1" | grep -qF -- "$2"; }

# checks_of NODE: the job that checks it now, if any
checks_of() { on $NAME controller squeue --noheader --name=slipway-deep-checks --states=RUNNING --nodelist="$1" --format=%A; }

# begins_checks SINCE NODE: its checks have begun, or, on a machine that stalls here, even ended
begins_checks() { [ -n "$(checks_of "$2")" ] || ran_since "$1" "$2"; }

# resume NODE: as an administrator
resume() { on $NAME controller scontrol update "NodeName=$1" State=RESUME; }

# no_race: ends the racing jobs; what they wrote stays
no_race() {
  local shells
  shells=$(jobs -p)
  # shellcheck disable=SC2086  # numbers
  [ -z "$shells" ] || wait $shells
  on $NAME controller scancel --name=job.sh
  ended() { [ -z "$(on $NAME controller squeue --noheader --name=job.sh --format=%A)" ]; }
  wait_for ended
}

# race COUNT [option of sbatch...]: loops that submit COUNT jobs in all, from 4 shells of the login node at once, each of
# one node. A job writes when it began, and when its node had passed by then, both in microseconds; 0: it had not.
race() {
  local count=$1
  shift
  on $NAME login sh -c 'rm -rf /home/race; mkdir /home/race
    printf "%s\n" "#!/bin/sh" "exec >>/home/race/\$(hostname).began" \
      "passed=\$(stat --format=%.6Y /var/lib/slipway/health/deep-passed.json 2>/dev/null | tr -d .)" \
      "echo \$(date +%s%6N) \${passed:-0}" >/home/race/job.sh'
  local shell
  for shell in 1 2 3 4; do
    on $NAME login sh -c 'for i in $(seq '$((count / 4))'); do
      until sbatch '"$*"' --quiet --nodes=1 --output=/dev/null --open-mode=append /home/race/job.sh 2>>/home/race/errors; do sleep 0.2; done
      echo >>/home/race/submitted-'$shell'; done' 3>&- &
  done
}

submitted() { on $NAME login sh -c 'cat /home/race/submitted-* 2>/dev/null | wc -l'; }
has_submitted() { [ "$(submitted)" -ge "$1" ]; }
raced() { [ "$(on $NAME login sh -c 'cat /home/race/*.began 2>/dev/null | wc -l')" -ge "$1" ]; }

now() { echo "${EPOCHREALTIME//[.,]/}"; }

# ran_since MICROSECONDS NODE: a racing job began there since then
ran_since() { on $NAME login awk "\$1 > $1 { found = 1 } END { exit !found }" "/home/race/$2.began" 2>/dev/null; }

# nobody_was_early SINCE NODE...: of the racing jobs that began there since then, each found that the node had passed since then
nobody_was_early() {
  local since=$1 node early
  shift
  for node in "$@"; do
    early=$(on $NAME login sh -c "cat /home/race/$node.began 2>/dev/null | awk '\$1 > $since && \$2 <= $since'")
    [ -z "$early" ] || { printf '%s: since %s, jobs began too early (when, and when it had passed):\n%s\n' "$node" "$since" "$early" && return 1; }
  done
}

# deploys_in_a_race COUNT: deploys while COUNT jobs are submitted and slurmctld is killed
deploys_in_a_race() {
  BLUEPRINT=$BATS_FILE_TMPDIR/health-deep.yaml deploy $NAME --timeout 300 3>&- &
  local deploying=$!
  # As soon as there is something to submit to.
  answers() { on $NAME login sinfo --noheader >/dev/null 2>&1; }
  WAIT_SECONDS=300 wait_for answers
  race "$1"
  wait $deploying
  WAIT_SECONDS=600 wait_for has_submitted $(($1 / 10))
  # Its state is lost or not, no node is free.
  on $NAME controller pkill -KILL -x slurmctld
  WAIT_SECONDS=600 wait_for raced 10
  log_says "checking "
  WAIT_SECONDS=1200 wait_for has_submitted "$1"
  no_race
  nobody_was_early 0 $N-{0,1,2,3,4}
  WAIT_SECONDS=600 wait_for all_serve
}

# lose_power NODE: an administrator sets it down at once, since slurmctld does not miss a node that is soon back
lose_power() {
  slipway fault $NAME "$1" power-off
  on $NAME controller scontrol update "NodeName=$1" State=DOWN Reason="no power"
  slipway fault $NAME "$1" clear
}

# survives_power_losses COUNT: node 1 loses power while COUNT jobs are submitted, and again while it is checked
survives_power_losses() {
  local off
  race "$1"
  WAIT_SECONDS=600 wait_for raced 8
  # However many of the jobs have ended by then, one needs this node.
  on $NAME login sbatch --quiet --nodelist=$N-1 --output=/dev/null /home/race/job.sh
  off=$(now)
  lose_power $N-1
  WAIT_SECONDS=600 wait_for begins_checks "$off" $N-1
  nobody_was_early "$off" $N-1
  off=$(now)
  lose_power $N-1
  on $NAME login sbatch --quiet --nodelist=$N-1 --output=/dev/null /home/race/job.sh
  WAIT_SECONDS=600 wait_for ran_since "$off" $N-1
  nobody_was_early "$off" $N-1
  no_race
  WAIT_SECONDS=600 wait_for all_serve
}
