# Nodes get no job before deep checks and a scan of pairs have passed: at a deploy, after a fault and its repair, with
# slurmctld restarted, the checker killed, and jobs that race for every moment at which a node looks free.

# bats file_tags=long
load helper
load health_helper
load deep_checks_helper

NAME=st-healdeep
N=sthealdeep-a3meganodeset

setup_file() { deep_checks_blueprint >"$BATS_FILE_TMPDIR/health-deep.yaml"; }

teardown_file() { slipway destroy $NAME; }

@test "deep checks: at a deploy, no job of many gets a node before it has passed" { deploys_in_a_race 200; }

@test "deep checks: a node that lost power gets none of many waiting jobs before it has passed again" { survives_a_power_loss 200; }

# The log of the checks is on the first node of their job.
log_says() { on $NAME "$1" grep -q -- "$2" /var/lib/slipway/health/deep-checks.log 2>/dev/null; }
any_log_says() { log_says $N-0 "$1" || log_says $N-1 "$1" || log_says $N-2 "$1"; }
is_slow() { any_log_says "^$N-2: drained: pairs: .*(slipway health, deep checks)$"; }

# On a machine that is too busy, a scan admits the nodes.
slow_or_too_noisy() { is_slow || any_log_says "^pairs are not judged: "; }

@test "deep checks: a slow link is found before any job gets the node, which returns when it is repaired" {
  on $NAME controller scontrol update NodeName=$N-2 State=DRAIN Reason="the cable was moved"
  wait_for reserves $N-2
  local node
  for node in $N-{0,1,2}; do on $NAME "$node" rm -f /var/lib/slipway/health/deep-checks.log; done
  slipway fault $NAME $N-2 link-rate enp0s12 300mbit
  local resumed
  resumed=$(now)
  # Other nodes stay free, for the pairs.
  race 100 --nodelist=$N-2
  on $NAME controller scontrol update NodeName=$N-2 State=RESUME
  # Each of six rounds may take a minute until a pair is given up.
  WAIT_SECONDS=900 wait_for slow_or_too_noisy
  if is_slow; then
    refuse ran_since "$resumed" $N-2
    # Quick checks find nothing, and do not resume it.
    look $N-2 && look $N-2 || true
    refuse ran_since "$resumed" $N-2
    reserves $N-2
  fi
  slipway fault $NAME $N-2 clear
  WAIT_SECONDS=600 wait_for ran_since "$resumed" $N-2
  nobody_was_early "$resumed" $N-2
  no_race
  WAIT_SECONDS=600 wait_for all_serve
}

@test "deep checks: a GPU breaks and is good again, the checker and its job are killed, and the node still waits until it has passed" {
  slipway fault $NAME $N-3 gpu-ecc 5 2
  look $N-3 || [ $? -eq 3 ]
  wait_for node_is $N-3 drained
  WAIT_SECONDS=300 wait_for reserves $N-3
  local since
  since=$(now)
  slipway fault $NAME $N-3 clear
  race 100 --nodelist=$N-3
  look $N-3 || true
  look $N-3 || true
  # On a machine that stalls here, they may have ended.
  checks_began() { checks_run || ran_since "$since" $N-3; }
  WAIT_SECONDS=600 wait_for checks_began
  on $NAME controller pkill -KILL -f 'slipway health admit'
  on $NAME controller scancel --name=slipway-deep-checks
  on $NAME controller /opt/slipway/bin/slipway node restart slurmctld
  WAIT_SECONDS=600 wait_for ran_since "$since" $N-3
  nobody_was_early "$since" $N-3
  no_race
  WAIT_SECONDS=600 wait_for all_serve
}

@test "deep checks: a policy without them gives the nodes back" {
  on $NAME controller scontrol update NodeName=$N-0 State=DRAIN Reason="a repair"
  wait_for reserves $N-0
  on $NAME controller scontrol update NodeName=$N-0 State=RESUME
  on $NAME controller sh -c 'echo "deep_checks: {when: []}" >/etc/slipway/health.yaml'
  WAIT_SECONDS=300 wait_for serves $N-0
  run log_of_checks
  says "the policy wants no deep checks"
}
