# Nodes of a fake Google Cloud exist while jobs need them: slurmctld runs our programs, and Compute Engine is a fake
# whose machines boot by themselves.

load helper
load google_helper

C=power-controller
N=power-cpunodes

setup_file() {
  cloud_start "$TOP/tests/system/power.yaml"
  as_tester touch "$CLOUD/machines-boot"
  machine_start $C $N-0
  wait_for node_is $N-0 idle
}

teardown_file() { cloud_stop; }

setup() { as_tester rm -f "$CLOUD/stock.json" "$CLOUD/trouble.json"; }

# node_is NAME STATE: according to sinfo
node_is() { machine $C sinfo --noheader --Node --format='%N %T' 2>/dev/null | grep -q "^$1 $2$"; }

power_log() { as_tester cat "$CLOUD/log-of/$C/power.log"; }

# power resume|suspend NODES: as slurmctld calls it
power() { machine $C runuser -u slurm -- "/opt/slipway/libexec/slipway/$1" "$2"; }

# The machines deleted in the cloud, and the nodes that suspend was called for, so far.
deleted() { as_tester sed -nE 's|.* DELETE .*/instances/([a-z0-9-]+).*|\1|p' "$CLOUD/log" | sort -u; }
asked_to_delete() {
  local list
  power_log | sed -n 's/^[^ ]* suspend //p' | while read -r list; do
    machine $C scontrol show hostnames "$list" </dev/null
  done | sort -u
}

zone_of() { as_tester grep -oE 'zones/[a-z0-9-]+' "$CLOUD/instances/$1.json"; }

@test "power: a job starts the nodes that it needs, and runs on them" {
  run machine $C srun --quiet --nodes=2 hostname
  [ "$(sort <<<"$output")" = "$N-0
$N-1" ]
  machines_are $C $N-0 $N-1
}

@test "power: a node has its bucket before it has a job" {
  machine $N-0 sh -c 'echo from a node >/data/file'
  run machine $C srun --nodelist=$N-1 cat /data/file /data/mounted-with
  says "from a node"
  [[ "$output" == *" /data -o "*implicit_dirs*allow_other* ]] || { echo "$output" && false; }
}

@test "power: nodes without a machine are shown" {
  node_is $N-6 'idle~'
}

@test "power: a zone without capacity is followed by the next one" {
  echo '{"us-central1-a": 1}' | as_tester tee "$CLOUD/stock.json"
  power resume "$N-[2-4]"
  [[ "$(zone_of $N-2)" = zones/us-central1-[ab] ]]
  [ "$(zone_of $N-3) $(zone_of $N-4)" = "zones/us-central1-b zones/us-central1-b" ]
}

@test "power: a node in another zone is found by its name" {
  wait_for machine $C getent hosts $N-3
}

@test "power: suspend deletes only the machines of its nodes" {
  power suspend "$N-[2-3]"
  run deleted
  says "$N-2
$N-3"
  # slurmctld also calls it when it finds a node idle.
  [ -z "$(comm -23 <(deleted) <(asked_to_delete))" ]
  power suspend "$N-[2-4]"
  run deleted
  says "$N-4"
  [ -z "$(comm -23 <(deleted) <(asked_to_delete))" ]
  as_tester test -e "$CLOUD/instances/$N-0.json"
}

@test "power: slurmctld deletes nodes that are idle for long, static ones stay" {
  wait_for machines_are $C $N-0
  node_is $N-0 idle
}

@test "power: the cloud's message appears at the node, its job is requeued, and later the node is available" {
  echo '{"us-central1-a": "QUOTA_EXCEEDED", "us-central1-b": 0}' | as_tester tee "$CLOUD/stock.json"
  machine $C sbatch --chdir=/tmp --output=/dev/null --nodelist=$N-0,$N-5 --wrap 'srun hostname >/var/log/slurm/job.out'
  wait_for grep -q "cannot resume" "$CLOUD/log-of/$C/power.log"
  run power_log
  says "cannot resume $N-5: us-central1: QUOTA_EXCEEDED: Quota 'NVIDIA_H100_GPUS' exceeded. Limit: 8.0 in region us-central1."
  # Slurm learns of it after that.
  has_reason() { machine $C scontrol show node $N-5 | grep -q "Reason=us-central1.*: QUOTA_EXCEEDED: Quota 'NVIDIA_H100_GPUS' exceeded."; }
  wait_for has_reason
  is_queued_again() { machine $C scontrol show job | grep -q "Restarts=1"; }
  wait_for is_queued_again
  machine $C scancel --user=root
}

@test "power: a stopped machine is started, not created" {
  wait_for node_is $N-6 'idle~'
  power resume $N-6
  as_tester sed -i 's/"metadata"/"status": "TERMINATED", "metadata"/' "$CLOUD/instances/$N-6.json"
  power resume $N-6
  as_tester grep -q '"status": "RUNNING"' "$CLOUD/instances/$N-6.json"
  power suspend $N-6
}

@test "power: the reasons of all zones are given, for nodes that no job waits for" {
  wait_for node_is $N-6 'idle~'
  echo '{"us-central1-a": "QUOTA_EXCEEDED", "us-central1-b": 0}' | as_tester tee "$CLOUD/stock.json"
  run power resume $N-6
  [ "$status" -eq 1 ]
  run power_log
  says "us-central1-a: QUOTA_EXCEEDED: Quota 'NVIDIA_H100_GPUS' exceeded. Limit: 8.0 in region us-central1.; us-central1-b: ZONE_RESOURCE_POOL_EXHAUSTED: The zone 'us-central1-b' does not have enough resources"
}

@test "power: a machine with fewer CPUs than slurm.conf says gets no job" {
  wait_for node_is $N-4 'idle~'
  cloud_control start $N-4 us-central1-a '{"advancedMachineFeatures": {"threadsPerCore": 1, "visibleCoreCount": 1}}'
  is_drained() { machine $C scontrol show node $N-4 | grep -q "Reason=Low "; }
  wait_for is_drained
  machine $C sinfo --noheader --nodes=$N-4 --format=%T | grep -qE 'drain|inval'
  power suspend $N-4
  machine $C scontrol update nodename=$N-4 state=power_down_force
  wait_for node_is $N-4 'idle~'
}

@test "power: missing permissions are the reason" {
  echo '{"POST compute.*": [403, {"error": {"code": 403, "message": "Required compute.instances.create permission",
    "errors": [{"reason": "forbidden"}]}}]}' | as_tester tee "$CLOUD/trouble.json"
  run power resume $N-6
  [ "$status" -eq 1 ]
  run power_log
  says "us-central1-a: forbidden: Required compute.instances.create permission; us-central1-b: forbidden"
}

@test "power: a name outside any nodeset is refused, and nothing is deleted" {
  run power suspend $C,other-1
  [ "$status" -eq 1 ]
  run power_log
  says "cannot suspend $C,other-1: its nodeset is not in cluster.json"
  machines_are $C $N-0
}

# started_by_someone_else NAME: a machine from the template of burst_nodes
started_by_someone_else() {
  cloud_control from-template "$1" burstnodes
  wait_for test -e "$CLOUD/up/$1"
}

@test "power: a machine that someone else starts registers itself, and jobs of its partition run on it" {
  started_by_someone_else power-burstnodes-x7
  wait_for node_is power-burstnodes-x7 idle
  run machine $C srun --partition=burst sh -c 'hostname'
  says power-burstnodes-x7
  run machine $C scontrol show node power-burstnodes-x7
  says "CPUTot=4"  # one for each core
  says "ActiveFeatures=elastic"
}

@test "power: the machines in the cloud are the nodes that Slurm believes are up" { machines_match_slurm $C; }

@test "power: a destroy is refused while a machine that it did not make is there, and then leaves nothing" {
  run cloud_destroy
  fails_with 1 "is already being used by"
  local name
  for name in $(cloud_control machines | cut -d' ' -f1); do cloud_control delete "$name"; done
  as_tester rm -rf "$CLOUD/buckets/power/file" "$CLOUD/buckets/power/mounted-with"
  cloud_destroy
  nothing_is_left
}
