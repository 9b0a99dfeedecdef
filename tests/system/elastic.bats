# Nodes of a local cluster that run only while jobs need them.

load helper

NAME=st-elastic
N=stelastic-cpunodes

setup_file() {
  cp "$TOP/tests/system/elastic.yaml" "$SUITE/elastic.yaml"
  slipway deploy "$SUITE/elastic.yaml" --vars "deployment_name=$NAME"
}

teardown_file() { slipway destroy $NAME; }

# is_off NODE: Slurm and the supervisor agree on it
is_off() { node_is "$1" 'idle~' && slipway status $NAME | grep -q "^$1 .* off "; }

power_log() { cat "$(deployments_folder)/$NAME/log/stelastic-controller/power.log"; }

# as_slurm COMMAND...: on the controller, as slurmctld's user
as_slurm() { slipway exec $NAME controller --user slurm --chdir / -- "$@"; }

@test "elastic: a deploy starts the static nodes, and Slurm knows the others" {
  node_is $N-0 idle
  is_off $N-1
  is_off $N-3
  run on $NAME controller pgrep -f "$N-1"
  [ "$status" -eq 1 ]
}

@test "elastic: a job starts the nodes that it needs, which have just booted, and runs on them" {
  run on $NAME controller srun --nodes=3 sh -c 'touch /etc/first-life; echo "$(hostname) $(cut -d. -f1 /proc/uptime)"'
  [ "$status" -eq 0 ]
  [ "$(awk '$2 < 1000 { print $1 }' <<<"$output" | sort)" = "$N-0
$N-1
$N-2" ]
  is_off $N-3
}

@test "elastic: idle nodes are powered off after a while, static ones stay on" {
  wait_for is_off $N-1
  wait_for is_off $N-2
  node_is $N-0 idle
  slipway status $NAME | grep -q "^$N-0 .* on "
}

@test "elastic: a second job starts a node again, with nothing left from before" {
  run on $NAME controller srun --nodelist=$N-1 ls /etc/first-life
  fails_with 2 "cannot access '/etc/first-life'"
}

@test "elastic: a node that cannot start reports why, and starts later" {
  wait_for is_off $N-2
  as_owner mv "$(deployments_folder)/$NAME/log/$N-2" "$SUITE/taken-away"
  on $NAME controller sbatch --nodelist=$N-2 --output=/dev/null --wrap hostname
  reason_is_there() { on $NAME controller sinfo --list-reasons --noheader --format='%N %E' | grep -q "^$N-2 cannot write"; }
  wait_for reason_is_there
  run power_log
  says "cannot resume $N-2: cannot write"
  # Slurm considers the requeued job again after seconds (26.05) or minutes (22.05).
  on $NAME controller scancel --user=root
  wait_for is_off $N-2
  as_owner mv "$SUITE/taken-away" "$(deployments_folder)/$NAME/log/$N-2"
  run on $NAME controller srun --nodelist=$N-2 hostname
  says $N-2
}

@test "elastic: only the cluster's root and Slurm can change power, and only of compute nodes" {
  run slipway exec $NAME controller --user nobody --chdir / -- /opt/slipway/bin/slipway node resume $N-3
  [ "$status" -eq 1 ]
  [[ "$output" == *"cannot resume $N-3: cannot connect to /run/slipway/power: Permission denied"* ]]
  run as_slurm /opt/slipway/bin/slipway node suspend stelastic-controller
  fails_with 1 "cannot suspend stelastic-controller: it is not a compute node"
  run on $NAME $N-0 test -e /run/slipway/power
  [ "$status" -eq 1 ]
  is_off $N-3
}
