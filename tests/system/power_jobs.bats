# What jobs get from a fake Google Cloud that is slow, short of machines and of patience: slurmctld runs our programs.

# bats file_tags=long
load helper
load google_helper

C=jobs-controller
N=jobs-near
S=jobs-spot
F=jobs-flex

setup_file() {
  cloud_start "$TOP/tests/system/power_jobs.yaml"
  as_tester touch "$CLOUD/machines-boot"
  machine_start $C
  wait_for machine $C scontrol ping
}

teardown_file() { cloud_stop; }

setup() { no_conditions; }

# After each test, the nodes that Slurm believes are up have a machine, and no others.
teardown() {
  no_conditions
  [ ! -e "$CLOUD/up/$C" ] || machines_match_slurm $C
}

no_conditions() { as_tester rm -f "$CLOUD/stock.json" "$CLOUD/trouble.json" "$CLOUD/conditions.json"; }

conditions() { as_tester tee "$CLOUD/conditions.json" >/dev/null; }

power_log() { as_tester cat "$CLOUD/log-of/$C/power.log"; }

# power resume|suspend NODES: as slurmctld calls it
power() { machine $C runuser -u slurm -- "/opt/slipway/libexec/slipway/$1" "$2"; }

node_is() { machine $C sinfo --noheader --Node --format='%N %T' 2>/dev/null | grep -q "^$1 $2$"; }

# The machines of nodes that are in the cloud, and not stopping.
nodes_with_machine() { cloud_control machines | grep -v STOPPING | sed -n "s/^\($1-[0-9]*\) .*/\1/p" | sort; }

# gone NAME: there is no machine whose name begins with NAME
gone() { ! cloud_control machines | grep -q "^$1-"; }

# all_powered_down NAME: Slurm can use the nodes again
all_powered_down() { ! machine $C sinfo --noheader --Node --format='%N %T' | grep "^$1-" | grep -qv 'idle~$'; }

policies() { cloud_control left | grep -o 'resourcePolicies/[a-z0-9-]*' | sort -u; }

# How many requests the controller made, by method and path.
requests() { as_tester grep -cE "$1" "$CLOUD/log" || true; }

# bats test_tags=thorough
@test "jobs: the machines of a job share a placement policy, which goes with them" {
  run machine $C srun --quiet --nodes=2 hostname
  [ "$(sort <<<"$output")" = "$N-0
$N-1" ]
  run policies
  says "resourcePolicies/$N-1-0"
  wait_for gone $N
  no_policy() { ! policies | grep -q "$N-"; }
  wait_for no_policy
}

@test "jobs: where the machines are is on record while they are there" {
  machine $C srun --quiet --nodes=1 --nodelist=$N-3 true
  run machine $C cat /var/lib/slipway/physical-hosts.json
  says "\"$N-3\": \"/"
  wait_for gone $N
  run machine $C cat /var/lib/slipway/physical-hosts.json
  [[ "$output" != *"$N-3"* ]]
}

# bats test_tags=thorough
@test "jobs: a cloud that is slow and refuses every third request gives a job its machines" {
  wait_for all_powered_down $N
  echo '{"bulk_insert_seconds": 4, "operation_seconds": 1, "failures": [{"every": 3, "status": 503, "method": "instances.*|regionInstances.*|.*Operations.*"}]}' | conditions
  run machine $C srun --quiet --nodes=2 hostname
  [ "$status" -eq 0 ]
  # No request made machines twice.
  [ "$(nodes_with_machine $N | wc -l)" -eq 2 ]
}

@test "jobs: a job gets all of its machines or none, and the reason; its nodes come back" {
  wait_for all_powered_down $N
  echo '{"us-central1-a": 1, "us-central1-b": 1}' | as_tester tee "$CLOUD/stock.json"
  machine $C sbatch --chdir=/tmp --output=/dev/null --nodes=3 --wrap true
  has_failed() { power_log | grep -q "cannot resume $N-.*ZONE_RESOURCE_POOL_EXHAUSTED"; }
  wait_for has_failed
  [ -z "$(nodes_with_machine $N)" ]
  is_queued_again() { machine $C scontrol show job | grep -q "Restarts=1"; }
  wait_for is_queued_again
  machine $C scancel --user=root
  wait_for all_powered_down $N || {
    machine $C sinfo --Node --format='%N %T %E'
    power_log
    machine $C grep "$N" /var/log/slurm/slurmctld.log
    false
  }
}

# bats test_tags=thorough
@test "jobs: a node that is up is not failed when the cloud takes longer than ResumeTimeout for another" {
  machine $C srun --quiet --partition=spot --nodelist=$S-0 true
  echo '{"bulk_insert_seconds": 18}' | conditions
  power resume "$S-[0-1]" || true
  run power_log
  says "cannot resume $S-1: the cloud had not made the machine when ResumeTimeout ended"
  [[ "$output" != *"cannot resume $S-0"* ]]
  refuse node_is $S-0 down
  # The cloud makes the machine nevertheless.
  wait_for test -e "$CLOUD/up/$S-1"
  power suspend $S-1
}

@test "jobs: machines of a Spot nodeset are Spot machines" {
  power resume $S-2
  cloud_control show $S-2 | grep -q '"provisioningModel": "SPOT"'
  power suspend "$S-[0-2]"
  wait_for gone $S
}

flex_groups() { cloud_control left | grep -oE "(instanceGroupManagers|instanceTemplates)/$F-flex-[a-z0-9-]*" | sort -u; }

@test "jobs: flex-start machines wait in the cloud's line for all of a job, with its time limit" {
  echo '{"us-central1-a": 1}' | as_tester tee "$CLOUD/stock.json"
  machine $C sbatch --chdir=/tmp --output=/dev/null --partition=flex --nodes=2 --time=20 --wrap 'srun hostname >/var/log/slurm/flex.out'
  waits() { as_tester grep -q 'POST .*/resizeRequests' "$CLOUD/log"; }
  wait_for waits
  [ -z "$(nodes_with_machine $F)" ]
  as_tester rm "$CLOUD/stock.json"
  has_run() { [ "$(sort "$CLOUD/log-of/$F-0/flex.out")" = "$F-0
$F-1" ]; }
  wait_for has_run
  cloud_control show $F-0 | grep -q '"provisioningModel": "FLEX_START"'
  run cloud_control show $F-0
  [[ $output == *'"maxRunDuration": {"seconds": "1200"'* ]] || { echo "$output" && power_log && false; }
  [ "$(flex_groups | wc -l)" -eq 2 ]
}

@test "jobs: a group of flex-start machines goes with the last of them, and its template with it" {
  wait_for gone $F
  no_group() { [ -z "$(flex_groups)" ]; }
  wait_for no_group
}

# bats test_tags=thorough
@test "jobs: a group whose maker was killed makes machines for nobody: the reconciler deletes it" {
  local before
  echo '{"us-central1-a": 0}' | as_tester tee "$CLOUD/stock.json"
  before=$(requests 'POST .*/resizeRequests')
  power resume $F-3 &
  waits() { [ "$(requests 'POST .*/resizeRequests')" -gt "$before" ]; }
  wait_for waits
  machine $C pkill -KILL -f "node resume $F-3"
  wait || true
  [ "$(flex_groups | wc -l)" -eq 2 ]
  is_deleted() {
    machine $C /opt/slipway/bin/slipway node reconcile --grace 0 || true
    [ -z "$(flex_groups)" ]
  }
  wait_for is_deleted
}

# bats test_tags=thorough
@test "jobs: 500 machines are one request, and are deleted within the limits of the cloud" {
  wait_for all_powered_down $S
  echo '{"rate_limits": {"default_per_region": 300}, "rate_interval_seconds": 4}' | conditions
  local before
  before=$(requests 'POST .*/bulkInsert')
  as_tester touch "$CLOUD/machines-stay-off"
  power resume "$S-[0-499]"
  [ "$(requests 'POST .*/bulkInsert')" -eq $((before + 1)) ]
  [ "$(nodes_with_machine $S | wc -l)" -eq 500 ]
  power suspend "$S-[0-499]"
  wait_for gone $S
  as_tester rm "$CLOUD/machines-stay-off"
}

@test "jobs: after a destroy, nothing is left" {
  wait_for gone $N
  run cloud_control machines
  [ "$output" = "$C us-central1-a RUNNING" ]
  cloud_destroy
  nothing_is_left
}
