# shellcheck shell=bash
# The archive for people without root, on a hand-made cluster of four nodes where nothing of Slipway is installed: functions for
# packages_in_root.sh. Nodes have networks and host names of their own, and share one file system.

# in_node NAME COMMAND...: as root of a node
in_node() {
  # shellcheck disable=SC2016  # for the shell in there
  ip netns exec "$1" unshare --uts -- sh -euc 'hostname "$0"; exec "$@"' "$@"
}

# write_configuration: what an administrator would write
write_configuration() {
  local node
  mkdir -p /etc/slurm
  {
    site_slurm_conf | grep -v -e '^SlurmctldHost' -e '^Slurmd.*=/' -e '^NodeName' -e '^PartitionName'
    echo "SlurmctldHost=$(hostname)(10.77.0.1)"
    echo "SlurmdSpoolDir=$SITE/spool/%n"
    echo "SlurmdPidFile=$SITE/run/%n.pid"
    echo "SlurmdLogFile=$SITE/log/%n.log"
    for node in 1 2 3 4; do
      echo "NodeName=n$node NodeAddr=10.77.0.1$node CPUs=2 State=UNKNOWN"
      echo "10.77.0.1$node n$node" >>/etc/hosts
    done
    echo "PartitionName=main Nodes=ALL Default=YES State=UP"
  } >/etc/slurm/slurm.conf
  echo "10.77.0.1 $(hostname)" >>/etc/hosts # nodes ask nobody else for names
  echo CgroupPlugin=cgroup/v1 >/etc/slurm/cgroup.conf
}

start_nodes() {
  local node
  mkdir -p "$SITE"/spool/n{1,2,3,4}
  ip link add switch type bridge
  ip address add 10.77.0.1/24 dev switch
  ip link set switch up
  start_munge
  slurmctld
  for node in 1 2 3 4; do
    ip netns add "n$node"
    ip link add "port$node" type veth peer name eno1 netns "n$node"
    ip link set "port$node" master switch up
    ip -n "n$node" link set lo up
    ip -n "n$node" address add "10.77.0.1$node/24" dev eno1
    ip -n "n$node" link set eno1 up
    ip -n "n$node" route add default via 10.77.0.1
    in_node "n$node" slurmd
  done
  wait_until_idle 4
}

# as_user COMMAND...: as a user without rights, who has unpacked the archive. There are no GPUs: the user says that there are.
as_user() {
  runuser -u someone -- env -C /home/someone HOME=/home/someone PATH="$(echo /home/someone/slipway-*/bin):/usr/bin:/bin" CUDA_VISIBLE_DEVICES=0 "$@"
}

# train: a program that resumes from its checkpoint, with a spare, and loses the node of rank 1 on the way. Prints how the
# job ended, its steps and its attempts.
train() {
  local job node end=$((SECONDS + 120))
  cat >/home/someone/train.sh <<'TEXT'
#!/bin/sh
echo "$SLURMD_NODENAME" >"node$RANK"
step=$(cat checkpoint 2>/dev/null || echo 0)
while [ "$step" -lt 60 ]; do
  sleep 0.1
  step=$((step + 1))
  echo "$step" >"$SLIPWAY_PROGRESS"
  if [ "$RANK" = 0 ]; then echo "$step" >checkpoint.new && mv checkpoint.new checkpoint; fi
done
TEXT
  cat >/home/someone/train.sbatch <<'TEXT'
#!/bin/sh
#SBATCH --nodes=3 --exclusive --no-kill --output=train.out
slipway launch --spares 1 --heartbeat 2 --ledger train.jsonl -- ./train.sh
TEXT
  chmod 755 /home/someone/train.sh
  job=$(as_user sbatch --parsable train.sbatch)
  until [ "$(cat /home/someone/checkpoint 2>/dev/null || echo 0)" -ge 5 ]; do
    [ $SECONDS -lt $end ] || break
    sleep 0.1
  done
  node=$(cat /home/someone/node1)
  # As if its power failed
  ip link set "port${node#n}" down
  ip netns pids "$node" | xargs --no-run-if-empty kill -KILL
  while squeue --noheader --jobs="$job" --states=PENDING,RUNNING 2>/dev/null | grep -q .; do
    [ $SECONDS -lt $end ] || break
    sleep 0.2
  done
  cat /home/someone/train.out >&2
  as_user slipway ledger train.jsonl >/tmp/ledger
  cat /tmp/ledger >&2
  echo "$(sed -n 's/^job [0-9]*: \([a-z]*\) after.*/\1/p' /tmp/ledger), $(cat /home/someone/checkpoint) steps, $(grep -o '[0-9]* attempts' /tmp/ledger)"
}

without_root() {
  local verdicts name
  cp /etc/hosts /home/hosts-before
  useradd --create-home someone
  write_configuration
  files >/home/files-before
  runuser -u someone -- tar -C /home/someone -xzf "$(echo "$PWD"/slipway-*.tar.gz)"
  start_nodes || return
  as_user slipway --version | awk '{ sub(",", "", $2); print $2; exit }' | said "version without root"
  for name in all_gather_perf bandwidth_compare bandwidth_perf bandwidth_plot bandwidth_scan; do
    as_user "$name" --help | sed -n 's/^Usage: \([^ ]*\).*/\1/p'
  done | said "names without root"
  as_user slipway run --nccl-env show -- srun --nodes=2 env >/tmp/run 2>&1
  cat /tmp/run >&2
  echo "variables without root: $(grep -c '^NCCL_NET=Socket$' /tmp/run) $(grep -c 'slipway: transport' /tmp/run)"
  mount -o remount,size=64M /dev/shm
  as_user slipway run -- srun --nodes=2 true >/tmp/preflight 2>&1
  mount -o remount,size=50% /dev/shm
  cat /tmp/preflight >&2
  echo "preflight without root: $(grep -c '/dev/shm' /tmp/preflight)"
  as_user env NCCL_NET=mine slipway run -- srun --nodes=2 env 2>/dev/null | grep '^NCCL_NET=' | said "own values without root"
  # shellcheck disable=SC2016  # for the job's shell
  as_user srun --nodes=2 bash -c 'eval "$(slipway job prepare)"; echo "$NCCL_NET"' 2>/dev/null | said "prepare without root"
  as_user srun --nodes=3 all_gather_perf -b 8 -e 1K -f 2 -n 2 -w 1 >/tmp/perf 2>&1; echo "bandwidth without root: $?"
  cat /tmp/perf >&2
  tc qdisc add dev port4 root tbf rate 20mbit burst 64kb latency 1s
  as_user srun --nodes=4 bandwidth_scan --size 64K --iters 1 --precision 0 --samples 15 --detect 80 --state scan.json >/tmp/scan 2>&1
  echo "a slow node without root: $? $(grep -o '^node: n[0-9]' /tmp/scan | paste -sd ' ')"
  cat /tmp/scan >&2
  tc qdisc del dev port4 root
  verdicts=$(as_user srun --nodes=4 slipway health --json)
  echo "$verdicts" >&2
  grep -c '"schema": *"slipway/health/1"' <<<"$verdicts" | said "verdicts without root"
  sinfo --noheader --format='%D %t' | said "nodes after health"
  train | said "a node lost without root"
  ip --all netns delete
  stop_slurm
  files | diff /home/files-before - | grep '^[<>]' | said "changed without root"
  userdel --remove someone 2>/dev/null
  rm -r /etc/slurm
  cp /home/hosts-before /etc/hosts
}
