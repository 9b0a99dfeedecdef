# Deploying a changed blueprint while its cluster runs and jobs run on it.

load helper

NAME=st-redeploy
N=stredeploy-a3meganodeset

setup_file() {
  deploy st-redeploy --nodes a3mega_nodeset=2 --accounting
  # On a node that nothing below touches.
  on st-redeploy login sbatch --job-name=long --nodelist=$N-0 --output=/dev/null --wrap 'exec sleep 4321'
  wait_for pgrep -x -f 'sleep 4321'
  LONG=$(pgrep -x -f 'sleep 4321')
  export LONG
}

teardown_file() { slipway destroy st-redeploy; }

# The job that began before everything else still runs, and Slurm knows it.
teardown() {
  [ "$(pgrep -x -f 'sleep 4321')" = "$LONG" ]
  [ "$(on $NAME login squeue --noheader --name=long --format='%T %N')" = "RUNNING $N-0" ]
}

# deploy_changed SED NODES [option...]: the quickstart with a change, and another number of nodes
deploy_changed() {
  local change=$1 nodes=$2
  shift 2
  sed "$change" "$BLUEPRINT" >"$SUITE/redeploy.yaml"
  slipway deploy "$SUITE/redeploy.yaml" --vars deployment_name=$NAME --accounting --nodes "a3mega_nodeset=$nodes" "$@"
}

@test "redeploy: an identical blueprint changes nothing, with a message" {
  local before
  before=$(on $NAME controller pgrep -x slurmctld)
  run deploy_changed '' 2
  says "deployment \`$NAME\` is running and unchanged"
  [ "$(on $NAME controller pgrep -x slurmctld)" = "$before" ]
}

@test "redeploy: nodes are added to a running cluster, and jobs run across new ones and old ones" {
  run deploy_changed '' 4
  says "nodes added: $N-2, $N-3"
  says "deployment \`$NAME\`: changed after"
  run on $NAME login srun --quiet --nodes=3 --exclude=$N-0 hostname
  [ "$(sort <<<"$output")" = "$N-1
$N-2
$N-3" ]
  run slipway status $NAME
  [ "$(grep -cE 'compute +a3-megagpu-8g .* on ' <<<"$output")" -eq 4 ]
}

@test "redeploy: a node with a running job is not removed, and nothing else changes" {
  on $NAME login sbatch --job-name=short --nodelist=$N-3 --output=/dev/null --wrap 'exec sleep 1234'
  wait_for pgrep -x -f 'sleep 1234'
  run deploy_changed '' 2
  fails_with 1 "jobs run on nodes that would be stopped: job "
  [[ "$output" == *"(short) on $N-3; nothing was changed"* ]]
  [ "$(compute_nodes $NAME | wc -l)" -eq 4 ]
  run on $NAME login sinfo --noheader --Node --format=%T --nodes=$N-2
  says "idle"
}

@test "redeploy: with --force it is, and its job waits for another one" {
  run deploy_changed '' 3 --force
  says "nodes removed: $N-3"
  refuse pgrep -x -f 'sleep 1234'
  # What a removed node remembered of its health is gone.
  [ "$(ls "$(deployments_folder)/$NAME/health")" = "$N-0
$N-1
$N-2" ]
  [ "$(compute_nodes $NAME)" = "$N-0
$N-1
$N-2" ]
  run on $NAME login squeue --noheader --name=short --format=%T
  [ "$output" = "" ] || says "PENDING"
  on $NAME login scancel --name=short
}

@test "redeploy: Slurm only rereads partitions" {
  local before
  before=$(on $NAME controller pgrep -x slurmctld)
  run deploy_changed 's/^\( *\)OverSubscribe: EXCLUSIVE/&\n\1MaxTime: 90/' 3
  says "Slurm rereads its partitions"
  run on $NAME login scontrol show partition a3mega
  says "MaxTime=01:30:00"
  [ "$(on $NAME controller pgrep -x slurmctld)" = "$before" ]
}

# Another machine type for the controller and the login, and an address that stays.
@test "redeploy: a node whose machine changes is stopped and started, including the controller" {
  local address
  address=$(on $NAME login hostname -I)
  run deploy_changed 's/machine_type: n2-standard-4/machine_type: n2-standard-8/' 3
  says "nodes replaced: stredeploy-controller, stredeploy-login-001 (its machine type is n2-standard-8, and was n2-standard-4)"
  [ "$(on $NAME login hostname -I)" = "$address" ]
  run on $NAME login sacct --noheader --parsable2 --allocations --name=long --format=State
  says "RUNNING"
}

@test "redeploy: what cannot change while it runs is reported before anything changes" {
  run deploy_changed '/- id: network$/,/source:/ s/source: .*/&\n    settings: {network_address_range: 10.9.0.0\/16}/' 5
  fails_with 1 "the address range of network"
  [ "$(compute_nodes $NAME | wc -l)" -eq 3 ]
}

# bridges: the deployment's number of networks
bridges() {
  local user=()
  [ "$(id -u)" -eq 0 ] || user=(--user --preserve-credentials)
  nsenter --target "$(supervisor_of $NAME)" "${user[@]}" --net ip -brief link show type bridge | wc -l
}

# job_completes NAME: it has ended, and Slurm waits for its nodes
job_completes() { [ "$(on $NAME login squeue --noheader --name="$1" --format=%T)" = COMPLETING ]; }

# Two nodes in their own partition, with their own two networks.
@test "redeploy: networks are added and removed with their nodes" {
  local change='s/machine_type: n2-standard-4/machine_type: n2-standard-8/'
  cat >"$SUITE/more.yaml" <<'YAML'
  - id: far
    source: modules/network/multivpc
    settings: {network_name_prefix: far, network_count: 2, global_ip_address_range: 10.77.0.0/16, subnetwork_cidr_suffix: 24}
  - id: far_nodeset
    source: community/modules/compute/schedmd-slurm-gcp-v6-nodeset
    use: [network, far]
    settings: {name: far, machine_type: n2-standard-4, node_count_static: 2, node_count_dynamic_max: 0}
  - id: far_partition
    source: community/modules/compute/schedmd-slurm-gcp-v6-partition
    use: [far_nodeset]
    settings: {partition_name: far}
YAML
  [ "$(bridges)" -eq 1 ]
  run deploy_changed "$change; s/a3mega_partition, login/far_partition, &/; /  # Where users log in/r $SUITE/more.yaml" 3
  says "nodes added: stredeploy-far-0, stredeploy-far-1"
  [ "$(bridges)" -eq 3 ]
  run on $NAME login srun --partition=far --nodes=2 hostname -I
  [ "$status" -eq 0 ]
  [ "$(grep -cE '10\.77\.0\.[0-9]+ 10\.77\.1\.' <<<"$output")" -eq 2 ]

  # Waits for a job that has ended but whose node has not reported it yet.
  on $NAME login sbatch --partition=far --nodelist=stredeploy-far-1 --job-name=ends --output=/dev/null --wrap 'exec sleep 3456'
  wait_for pgrep -x -f 'sleep 3456'
  on $NAME stredeploy-far-1 pkill -STOP -x slurmd
  on $NAME login scancel --name=ends
  wait_for job_completes ends
  { sleep 1 && on $NAME stredeploy-far-1 pkill -CONT -x slurmd; } >/dev/null 2>&1 3>&- &
  run deploy_changed "$change" 3
  says "nodes removed: stredeploy-far-0, stredeploy-far-1"
  [ "$(bridges)" -eq 1 ]
}

@test "redeploy: a machine that takes another's place has its own GPUs, without the old one's fault" {
  cat >"$SUITE/more.yaml" <<'YAML'
  - id: l4_nodeset
    source: community/modules/compute/schedmd-slurm-gcp-v6-nodeset
    use: [network]
    settings: {name: l4, machine_type: g2-standard-24, node_count_static: 1, node_count_dynamic_max: 0}
  - id: l4_partition
    source: community/modules/compute/schedmd-slurm-gcp-v6-partition
    use: [l4_nodeset]
    settings: {partition_name: l4}
YAML
  local change='s/machine_type: n2-standard-4/machine_type: n2-standard-8/'
  change+="; s/a3mega_partition, login/l4_partition, &/; /  # Where users log in/r $SUITE/more.yaml"
  deploy_changed "$change" 3
  gpus() { on $NAME stredeploy-l4-0 nvidia-smi -L | grep -c 'GPU [0-9]'; }
  [ "$(gpus)" -eq 2 ]
  slipway fault $NAME stredeploy-l4-0 gpu-ecc 0 2
  sed -i s/g2-standard-24/g2-standard-48/ "$SUITE/more.yaml"
  run deploy_changed "$change" 3
  says "nodes replaced: stredeploy-l4-0 (its machine type is g2-standard-48, and was g2-standard-24)"
  [ "$(gpus)" -eq 4 ]
  on $NAME stredeploy-l4-0 /opt/slipway/bin/slipway health
  run slipway status $NAME
  lacks "gpu-ecc"
}
