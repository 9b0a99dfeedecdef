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

# What the service has done, if a test fails.
teardown() {
  [ -n "${BATS_TEST_COMPLETED:-}" ] || { log_of_checks && on $NAME controller sinfo --noheader --Node --format='%N %T %E' && jobs_of_checks; } || true
}

jobs_of_checks() { on $NAME controller squeue --noheader --all --states=all --name=slipway-deep-checks --format='%A %T %N'; }

@test "deep checks: at a deploy, no job of many gets a node before it has passed" { deploys_in_a_race 40; }

# bats test_tags=thorough
@test "deep checks: a node that loses power, and again while it is checked, gets none of many waiting jobs before it has passed" { survives_power_losses 40; }

# bats test_tags=thorough
@test "deep checks: a node with a bad GPU gets no job, and after its repair not before it has passed, though the checker is killed" {
  slipway fault $NAME $N-3 gpu-ecc 0 2
  look $N-3 || [ $? -eq 3 ]
  wait_for node_is $N-3 drained
  wait_for reserves $N-3
  local since job
  since=$(now)
  race 20 --nodelist=$N-3
  resume $N-3
  # The checks of the prolog see it, so the deep ones do not even begin.
  WAIT_SECONDS=600 wait_for reason_is $N-3 "gpu_ecc"
  reserves $N-3
  refuse ran_since "$since" $N-3
  slipway fault $NAME $N-3 clear
  look $N-3 || true
  look $N-3 || true
  WAIT_SECONDS=600 wait_for begins_checks "$since" $N-3
  job=$(checks_of $N-3)
  on $NAME controller pkill -KILL -f 'slipway health admit'
  [ -z "$job" ] || on $NAME controller scancel "$job"
  on $NAME controller /opt/slipway/bin/slipway node restart slurmctld
  WAIT_SECONDS=600 wait_for ran_since "$since" $N-3
  nobody_was_early "$since" $N-3
  no_race
  WAIT_SECONDS=600 wait_for all_serve
}

# bats test_tags=thorough
@test "deep checks: a slow link is found before any job gets the node, which returns when it is repaired" {
  local before since tries
  # A scan that stalls is too noisy to name a node, and admits it.
  for tries in 1 2 3; do
    before=$(log_of_checks | wc -l)
    on $NAME controller scontrol update NodeName=$N-2 State=DRAIN Reason="the cable was moved"
    wait_for reserves $N-2
    slipway fault $NAME $N-2 link-rate ens4 300mbit
    resume $N-2
    judged_pairs() { log_says "$N-2 did not pass: pairs: " "$before" || log_says "jobs may have" "$before"; }
    WAIT_SECONDS=600 wait_for judged_pairs
    ! log_says "$N-2 did not pass: pairs: " "$before" || break
    slipway fault $NAME $N-2 clear
  done
  echo "tries: $tries"
  since=$(now)
  race 20 --nodelist=$N-2
  log_says "$N-2 did not pass: pairs: " "$before"
  # Quick checks find nothing, and do not resume it.
  look $N-2 && look $N-2 || true
  reserves $N-2
  refuse ran_since "$since" $N-2
  slipway fault $NAME $N-2 clear
  WAIT_SECONDS=600 wait_for ran_since "$since" $N-2
  nobody_was_early "$since" $N-2
  no_race
  WAIT_SECONDS=600 wait_for all_serve
}

@test "deep checks: a policy without them ends the wait and the reservation" {
  # A drained node is reserved, and one that boots waits.
  on $NAME controller scontrol update NodeName=$N-4 State=DRAIN Reason="a repair"
  wait_for reserves $N-4
  on $NAME controller pkill -STOP -f 'slipway health admit'
  slipway fault $NAME $N-0 power-off
  slipway fault $NAME $N-0 clear
  wait_for reason_is $N-0 "deep checks pending (slipway health)"
  local node
  for node in $N-0 $N-4 controller; do
    on $NAME $node sh -c 'echo "deep_checks: {when: []}" >/etc/slipway/health.yaml'
  done
  on $NAME controller pkill -CONT -f 'slipway health admit'
  has_no_reservation() { on $NAME controller scontrol show reservation | grep -q "No reservations"; }
  wait_for has_no_reservation
  log_says "the policy wants no deep checks"
  serves_again $N-0
  node_is $N-4 drained
  resume $N-4
  wait_for serves $N-4
}
