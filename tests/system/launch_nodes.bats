# `slipway launch`: jobs whose nodes are broken, suspected or gone, on a real Slurm.

# bats file_tags=long
load helper

NAME=st-broken
N=stbroken-a3meganodeset

load launch_helper

@test "launch: a node whose GPU is broken is blamed, while its tasks run and after one has ended" {
  submit --spares 2 -- ./count.sh 150
  wait_for at_step 5
  slipway fault $NAME $N-1 gpu-xid 3 79
  wait_for has_said "attempt 1: health, blamed: $N-1"
  wait_for has_said "$N-1: NVML: Xid 79 of GPU 0000:07:00.0"
  wait_for has_said "attempt 2 on 3 nodes, 1 spare"
  slipway fault $NAME $N-2 gpu-lost 3
  on $NAME $N-2 pkill -KILL -f count.sh
  wait_for has_said "attempt 2: health, blamed: $N-2"
  wait_for has_said "$N-2: gpu_count GPU 3: GPU is lost"
  ended 0
  local node
  for node in $N-1 $N-2; do
    slipway fault $NAME "$node" clear
    on $NAME "$node" /opt/slipway/bin/slipway health clear
    back() { on $NAME "$node" /opt/slipway/bin/slipway health --stage periodic --act >/dev/null && node_is "$node" idle; }
    wait_for back
  done
}

@test "launch: a node where failures begin twice in a row is left out but not blamed" {
  submit --min-nodes 4 -- sh -c "'[ \$(hostname) != $N-2 ] || { sleep 0.3; kill -9 \$\$; }; [ \$SLIPWAY_RESTART_COUNT = 2 ] || sleep 1000'"
  ended 0
  says "attempt 2: signal, blamed: unknown"
  says "the last 2 failures began on $N-2, with different ranks: 1 in 5 by chance"
  says "attempt 3 on 4 nodes, 1 spare"
  ledger --json | grep -q '"blamed_nodes": \[\]'
}

@test "launch: a node whose task reports it as broken is blamed, and its history gets a note" {
  submit --min-nodes 4 -- sh -c "'[ \$(hostname) != $N-2 ] || { echo RuntimeError: CUDA error: uncorrectable ECC error encountered >&2; exit 1; }; [ \$SLIPWAY_RESTART_COUNT = 1 ] || sleep 1000'"
  ended 0
  says "attempt 1: task report, blamed: $N-2"
  says "attempt 2 on 4 nodes, 0 spares"
  local said="blamed by job $JOB of user [0-9]* since attempt 1: a program reported that part of the node is broken"
  # After the job the node is checked.
  noted() { slipway health report $NAME | grep -q "^$N-2 *note *reports *node *$said"; }
  wait_for noted
  run slipway health report $NAME
  [ "$(grep -c " reports " <<<"$output")" -eq "$(grep -c "^$N-[12] .* reports " <<<"$output")" ]
  on $NAME $N-2 grep -q '"node-reported|node"' /var/lib/slipway/health/history.json
  on $NAME $N-2 sh -c "! cat /run/slipway/reports/* | tr -d '\\0' | grep ."
  wait_for node_is $N-2 idle
  # The note stays with the node, which still serves.
  on $NAME $N-2 /opt/slipway/bin/slipway health --stage periodic --act
  noted
  node_is $N-2 idle
}

@test "launch: a program named like an Xid blames no node" {
  submit --spares 1 -- ./count.sh 60
  wait_for at_step 5
  crash_as_a_user $N-1 'NVRM: Xid (PCI:' 'x): 79, y'
  crash_as_a_user $N-1 'NVRM: Xid (PCI:' '0000:07:00): 79, pid=1'
  ended 0
  lacks blamed
  lacks "attempt 2"
  # Its last output is not the kernel's either.
  lacks NVRM
}

@test "launch: users can leave a report about a node, and take no space for it from others, whatever they do" {
  local folder=/run/slipway/reports user
  as_user() {
    local user=$1
    shift
    on $NAME $N-4 setpriv --reuid "$user" --regid "$user" --clear-groups "$@"
  }
  # A user who has had a job on the node has a place of one page there.
  for user in 65534 1; do
    on $NAME login setpriv --reuid "$user" --regid "$user" --clear-groups srun --nodelist=$N-4 --chdir=/ true
  done
  local there
  there=$(on $NAME $N-4 ls $folder)
  [ "$(wc -l <<<"$there")" -eq 64 ]
  grep -qx 65534 <<<"$there"
  run as_user 65534 ls $folder
  [ "$status" -ne 0 ]
  local attack
  for attack in "mkdir $folder/a" "touch $folder/a" "ln -s /etc/munge/munge.key $folder/a" "rm $folder/65534" "mv $folder/65534 $folder/a" \
    "ln $folder/65534 $folder/a" "cat $folder/1" "cat $folder/free-63" "head -c 1M /dev/zero >>$folder/65534"; do
    run as_user 65534 sh -c "$attack"
    [ "$status" -ne 0 ] || { echo "possible: $attack" >&2 && return 1; }
  done
  [ "$(on $NAME $N-4 ls $folder)" = "$there" ]
  # The other user still has his space, and his leftovers are found.
  as_user 65534 sh -c "printf '%4096s' x >$folder/65534"
  as_user 1 sh -c "printf '%s' '{\"schema\": \"slipway/node-report/1\", \"job\": \"7\", \"attempt\": 1, \"cause\": \"held\", \"detail\": \"\"}' 1<>$folder/1"
  # A check that finds another one running keeps nothing.
  taken() {
    on $NAME $N-4 /opt/slipway/bin/slipway health --stage periodic --act
    slipway health report $NAME | grep -q "^$N-4 .* reports .*blamed by job 7 of user 1"
  }
  wait_for taken
  [ "$(slipway health report $NAME | grep -c "^$N-4 .* reports ")" -eq 1 ]
  on $NAME $N-4 sh -c "! tr -d '\\0' <$folder/65534 | grep ."
  on $NAME $N-4 /opt/slipway/bin/slipway health clear
}

@test "launch: nodes with another version are left out, and both sides name the versions; with too few others, Slurm has the reason" {
  local own
  own=$(slipway --version | sed -n '1s/^slipway \([^ ,]*\).*/\1/p')
  with_other_version $N-2 $N-3
  submit --min-nodes 3 -- ./count.sh 5
  ended 0
  says "error: slipway launch on $N-0 is version $own (protocol "
  says "), the agent on $N-2 is 99.0 (protocol "
  says "), the agent on $N-3 is 99.0 (protocol "
  says "), the agent there is 99.0 (protocol "
  says "): install the same version on all nodes"
  says "attempt 1 on 3 nodes, 0 spares"
  says "rank 2 of 3 at $N-0"
  lacks "has accepted this agent"
  with_other_version $N-1 $N-4
  submit --min-nodes 3 -- ./count.sh 5
  wait_for has_said "1 good node left, 3 needed"
  refused() { on $NAME login scontrol show job "$JOB" | grep -q "Comment=.*job $JOB cannot be requeued.*install the same version on all nodes"; }
  wait_for refused || { on $NAME login scontrol show job "$JOB"; output; false; }
  run output
  lacks "attempt 1"
  with_own_version $N-1 $N-2 $N-3 $N-4
}

# Last, because it takes the nodes.
@test "launch: nodes without power, frozen or unreachable are left out; with too few nodes the job is requeued" {
  # The job gets all five: none is still busy with the end of an earlier job.
  all_idle() { [ "$(on $NAME controller sinfo --noheader --format=%T)" = idle ]; }
  wait_for all_idle
  NODES=2-5 submit --spares 1 --min-nodes 3 --heartbeat 2 -- ./count.sh 1000
  wait_for at_step 5
  slipway fault $NAME $N-3 power-off
  wait_for has_said "attempt 2 on 4 nodes, 0 spares"
  wait_for has_said "node gone, blamed: $N-3"
  slipway fault $NAME $N-1 hang
  wait_for has_said "attempt 3 on 3 nodes"
  wait_for has_said "node gone, blamed: $N-1"
  slipway fault $NAME $N-2 link-down enp0s12
  wait_for has_said "2 good nodes left, 3 needed" || { output && false; }
  # It is requeued once Slurm has also noticed the nodes; whether that will happen is reported at once.
  excluded() { on $NAME login scontrol show job "$JOB" | grep -q "ExcNodeList=$N-1,$N-2,$N-3"; }
  wait_for excluded || { on $NAME login scontrol show job "$JOB"; output; false; }
  run on $NAME login scontrol show job "$JOB"
  says "Requeue=1 Restarts=1"
  says "Comment=slipway launch: node gone: $N-2: no heartbeat for 2 s"
  run ledger
  says "requeued"
  says "GPU energy at least 0.0"
  says "$N-3: node gone in attempt 1"
  says "$N-1: node gone in attempt 2"
  on $NAME login scancel "$JOB"
}
