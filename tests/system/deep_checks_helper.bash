# Shared by tests of deep checks, about the deployment NAME, whose nodes are N-0 to N-3.

# Slow pairs are found only if they lose half: nodes here share two processors with other tests.
deep_checks_blueprint() {
  cat "$TOP/examples/quickstart.yaml" && cat <<'END'
      health_policy:
        deep_checks: {when: [boot, return], detect_percent: 60, retry_minutes: 1}
        findings: {collective-slow: note}
END
}

# log_of_checks: what the service on the controller has done, with the times
log_of_checks() { on $NAME controller cat /var/log/slurm/admission.log; }

# serves NODE: jobs may have it
serves() { node_is "$1" idle && ! reserves "$1"; }

all_serve() {
  local i
  for i in 0 1 2 3; do serves $N-$i || return 1; done
}

reserves() {
  on $NAME controller sh -c 'scontrol show hostnames "$(scontrol --oneliner show reservation slipway-deep-checks 2>/dev/null |
    sed -n "s/.* Nodes=\([^ ]*\) .*/\1/p")"' | grep -qxF "$1"
}

reason_is() { reason_of "$1" | grep -qF -- "$2"; }

checks_run() { [ -n "$(on $NAME controller squeue --noheader --name=slipway-deep-checks --states=RUNNING --format=%A)" ]; }

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
  WAIT_SECONDS=600 wait_for raced 20
  run log_of_checks
  says "checking "
  WAIT_SECONDS=1200 wait_for has_submitted "$1"
  no_race
  nobody_was_early 0 $N-{0,1,2,3}
  WAIT_SECONDS=600 wait_for all_serve
}

# survives_a_power_loss COUNT: node 1 loses power while COUNT jobs are submitted
survives_a_power_loss() {
  race "$1"
  WAIT_SECONDS=600 wait_for raced 8
  slipway fault $NAME $N-1 power-off
  local off
  off=$(now)
  slipway fault $NAME $N-1 clear
  # Meanwhile the others work.
  WAIT_SECONDS=600 wait_for ran_since "$off" $N-0
  # However many of the jobs have ended by then, one needs this node.
  on $NAME login sbatch --quiet --nodelist=$N-1 --output=/dev/null /home/race/job.sh
  WAIT_SECONDS=600 wait_for ran_since "$off" $N-1
  nobody_was_early "$off" $N-1
  no_race
  WAIT_SECONDS=600 wait_for all_serve
}
