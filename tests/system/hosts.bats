# A cluster on machines that exist already: `slipway deploy` reaches them by a real ssh and a real SSH server. The machines
# are those of the fake cloud, which never boot into a cluster of their own.

# bats file_tags=long
load helper
load google_helper

C=onprem-controller
L=onprem-login-001
N=onprem-bare

setup_file() {
  cloud_start "$TOP/tests/system/hosts_machines.yaml"
  machine_start $C $L $N-0 $N-1 $N-2 $N-3
  # The administrator works on the login machine.
  machine $L sh -ec 'mkdir -p -m 700 /root/.ssh /root/lab; ssh-keygen -q -t ed25519 -N "" -f /root/.ssh/lab'
  machine $L sh -c 'cat >/root/lab/lab.yaml' <"$TOP/tests/system/hosts.yaml"
  local key name
  key=$(machine $L cat /root/.ssh/lab.pub)
  for name in $C $L $N-0 $N-1 $N-2 $N-3; do
    # In a user's namespace, nobody owns the host's files, which ssh refuses.
    machine $name mount -t tmpfs ssh /etc/ssh
    machine $name sh -ec 'mkdir -p -m 700 /root/.ssh; echo "$1" >/root/.ssh/authorized_keys' sh "$key"
    start_ssh_server $name
  done
  name_hosts "'$N-[0-2]'"
}

teardown_file() { cloud_stop; }

# start_ssh_server NAME: OpenSSH's if this machine has it; Dropbear, whose package starts nothing, otherwise
start_ssh_server() {
  machine "$1" sh -ec 'if [ -x /usr/sbin/sshd ]; then
      mkdir -p /run/sshd && ssh-keygen -A && /usr/sbin/sshd -f /dev/null -o UsePAM=no
    else mkdir -p /etc/dropbear && dropbear -R; fi' >/dev/null
}

# name_hosts NODES [line of `ssh`...]: in the deployment file
name_hosts() {
  local nodes=$1
  shift
  machine $L sh -c 'cat >/root/lab/machines.yaml' <<YAML
machines:
  ssh:
    identity_file: /root/.ssh/lab
    options: [StrictHostKeyChecking=accept-new]
$(printf '    %s\n' "$@")
  hosts: {head: $C, login: $L, nodes: $nodes}
YAML
}

# lab VERB [option...]: on the administrator's machine
lab() {
  local verb=$1
  shift
  machine $L sh -c 'cd /root/lab && verb=$1 && shift && exec /opt/slipway/bin/slipway "$verb" lab.yaml -d machines.yaml "$@"' sh "$verb" "$@"
}

files_of() { machine "$1" sh -c 'cd / && ls -A etc/slurm etc/slipway etc/munge var/lib/slipway 2>/dev/null; cat etc/slurm/* etc/slipway/node.json 2>/dev/null | sha256sum'; }

process_of() { machine "$1" pgrep -x "$2"; }

@test "hosts: check refuses what cannot be, and names it" {
  name_hosts "['$N-[0-2]', 10.0.0.9]"
  run lab check
  fails_with 1 "error[E0205]: \`10.0.0.9\` is an address, and a node needs a name"
  name_hosts "'$N-[0-2]'"
  lab check
}

@test "hosts: machines that do not let us in are refused with the reason, and nothing is changed" {
  name_hosts "'$N-[0-2]'" "user: nobody"
  run lab deploy --auto-approve
  fails_with 1 "the controller $C: ssh: "
  fails_with 1 "use a key, or an agent"
  # A user who may not become root.
  machine $C sh -ec 'useradd --create-home --password '"'*'"' ops; install -d -m 700 -o ops ~ops/.ssh; install -m 600 -o ops /root/.ssh/authorized_keys ~ops/.ssh'
  name_hosts "'$N-[0-2]'" "user: ops"
  run lab deploy --auto-approve
  fails_with 1 "the controller $C: "
  fails_with 1 "sudo"
  name_hosts "'$N-[0-2]'"
  refuse machine $C test -e /etc/slurm/slurm.conf
}

@test "hosts: a deploy makes a cluster that runs a job on all machines" {
  lab deploy --auto-approve
  [ "$(machine $L sinfo --noheader --format='%P %D %T')" = "gpu* 3 idle" ]
  local out
  out=$(machine $L srun --chdir=/ --nodes=3 hostname | sort)
  [ "$out" = "$(printf '%s\n' $N-0 $N-1 $N-2)" ]
}

@test "hosts: each machine knows what it is, and only root reads the key" {
  local name
  for name in $C $L $N-0 $N-1 $N-2; do
    machine $name test -s /etc/slipway/node.json
    [ "$(machine $name stat --format='%U %a' /etc/munge/munge.key)" = "munge 400" ]
    [ "$(machine $name sha256sum /etc/munge/munge.key)" = "$(machine $C sha256sum /etc/munge/munge.key)" ]
  done
  machine $N-0 grep -q '"target": "hosts"' /etc/slipway/node.json
  machine $C grep -q "^NodeName=$N-\[0-2\] .*CPUs=" /etc/slurm/slurm.conf
}

@test "hosts: a second deploy changes nothing and restarts nothing" {
  local before after name
  before=$(for name in $C $L $N-0; do files_of $name; done; process_of $C slurmctld; process_of $N-0 slurmd)
  run lab deploy --auto-approve
  [ "$status" -eq 0 ]
  refuse says "wrote"
  after=$(for name in $C $L $N-0; do files_of $name; done; process_of $C slurmctld; process_of $N-0 slurmd)
  [ "$before" = "$after" ]
}

@test "hosts: a deploy shows what a machine finds odd about itself" {
  # A GPU without a driver.
  machine $N-0 sh -ec 'mount -t tmpfs pci /sys/bus/pci/devices; cd /sys/bus/pci/devices; mkdir 0000:04:00.0; cd 0000:04:00.0
    echo 0x10de >vendor; echo 0x2330 >device; echo 0x030200 >class'
  run lab deploy --auto-approve
  [ "$status" -eq 0 ]
  says "$N-0: warning: the GPUs are on the PCI bus, but NVML does not list them"
  says "$N-0: 1 "
  machine $N-0 umount /sys/bus/pci/devices
  run lab deploy --auto-approve
  [ "$status" -eq 0 ]
  refuse says "warning"
}

@test "hosts: a changed blueprint reaches all machines, and a job goes on" {
  local job
  job=$(machine $L sbatch --parsable --chdir=/ --output=/dev/null --nodelist=$N-1 --wrap "sleep 600")
  runs() { machine $L squeue --noheader --jobs="$job" --format=%T | grep -qx RUNNING; }
  wait_for runs
  machine $L sed -i 's/partition_name: gpu,/partition_name: gpu, partition_conf: {MaxTime: 90},/' /root/lab/lab.yaml
  run lab deploy --auto-approve
  [ "$status" -eq 0 ]
  says "$C: wrote slurm.conf; restarted slurmctld"
  says "$N-0, $N-1, $N-2: wrote slurm.conf; restarted slurmd"
  [ "$(machine $N-0 sinfo --noheader --format=%l)" = "1:30:00" ]
  runs
  machine $L scancel "$job"
}

@test "hosts: an added machine joins, a removed machine leaves, and a silent machine is named" {
  name_hosts "'$N-[1-3]'"
  run lab deploy --auto-approve
  [ "$status" -eq 0 ]
  says "$N-0: no longer in the blueprint; it has left"
  refuse machine $N-0 test -e /etc/slurm/slurm.conf
  refuse process_of $N-0 slurmd
  [ "$(machine $L srun --chdir=/ --nodes=3 hostname | sort)" = "$(printf '%s\n' $N-1 $N-2 $N-3)" ]
  machine $N-2 pkill -x "dropbear|sshd"
  run lab deploy --auto-approve
  fails_with 1 "$N-2: ssh: "
  fails_with 1 "1 machine not done; the others are"
  start_ssh_server $N-2
  lab deploy --auto-approve
}

@test "hosts: a machine with a Slurm of its own is not touched" {
  machine $N-0 sh -c 'echo ClusterName=other >/etc/slurm/slurm.conf'
  name_hosts "'$N-[0-3]'"
  run lab deploy --auto-approve
  fails_with 1 "$N-0: it has a Slurm of its own"
  [ "$(machine $N-0 cat /etc/slurm/slurm.conf)" = "ClusterName=other" ]
  machine $N-0 rm /etc/slurm/slurm.conf
  name_hosts "'$N-[1-3]'"
}

@test "hosts: each machine serves its metrics, and the controller tells of drains, when the blueprint asks for it" {
  local file
  for file in serve-metrics serve-tell; do refuse machine $C test -e /run/slipway/services/$file; done
  machine $L sh -c 'cat >>/root/lab/machines.yaml' <<'YAML'
settings:
  head:
    monitoring: prometheus
    health_policy: {tell: {program: /told/hook}}
YAML
  machine $C sh -ec 'mkdir -m 755 /told; printf "#!/bin/sh\ncat >>/told/program\n" >/told/hook; chmod 755 /told/hook'
  run lab deploy --auto-approve
  [ "$status" -eq 0 ]
  says 'not set up on these machines: `monitoring`: each machine serves its metrics; run Prometheus yourself'
  serves_metrics() { machine $L curl -sS "http://$1:9817/metrics" | grep -q '^slipway_node_'; }
  wait_for serves_metrics $N-1
  wait_for serves_metrics $C
  run machine $L curl -sS "http://$C:9817/targets"
  says "$N-1"
  wait_for machine $C test -e /var/lib/slipway/tell.json
  machine $C scontrol update nodename=$N-1 state=drain reason="by the test"
  wait_for machine $C grep -q "by the test" /told/program
}

@test "hosts: a destroy stops Slurm and removes its files, and the state stays" {
  lab destroy --auto-approve
  local name
  for name in $C $L $N-1 $N-2 $N-3; do
    refuse machine $name test -e /etc/slurm/slurm.conf
    refuse machine $name test -e /etc/slipway/node.json
    refuse machine $name pgrep -x "slurmctld|slurmd"
  done
  machine $C test -e /var/spool/slurmctld/job_state
}
