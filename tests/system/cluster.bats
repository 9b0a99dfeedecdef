# A cluster from the quickstart blueprint: its nodes, its Slurm, its plugin, its bandwidth test.

# bats file_tags=user
load helper

NAME=st-cluster

setup_file() {
  deploy st-cluster
  local first
  first=$(compute_nodes st-cluster | head -n 1)
  export FIRST=$first
}

teardown_file() { slipway destroy st-cluster; }

@test "cluster: four nodes are idle when deploy returns" {
  run on $NAME controller sinfo --noheader --format='%D %T'
  says "4 idle"
}

@test "cluster: status names every node with its role, address and state" {
  run slipway status $NAME
  says "deployment $NAME: running"
  [ "$(grep -cE 'compute +a3-megagpu-8g +10\..* on +idle' <<<"$output")" -eq 4 ]
  [ "$(grep -cE 'login .* on' <<<"$output")" -eq 1 ]
  [ "$(grep -cE 'controller .* on' <<<"$output")" -eq 1 ]
  says "no jobs"
}

@test "cluster: bash, zsh and fish complete its name, its nodes and the faults of one" {
  slipway fault $NAME "$FIRST" gpu-lost 2
  run as_tester python3 "$TOP/tests/golden/completion.py" --offer "$SUITE/prefix" \
    "slipway status st-clus=$NAME" \
    "slipway exec $NAME contr=controller" \
    "slipway exec $NAME ${FIRST%-0}-=$(compute_nodes $NAME | paste -sd,)" \
    "slipway fault $NAME $FIRST power-=power-off,power-on" \
    "slipway fault $NAME $FIRST clear gpu=gpu-lost"
  slipway fault $NAME "$FIRST" clear
  says "5 lines in bash"
  says ": 0 problems"
  [ "$status" -eq 0 ]
}

# keeps_schema NAME: checks the JSON on stdin
keeps_schema() { python3 "$TOP/tests/schemas/validate.py" "$TOP/docs/schemas/$1-1.schema.json" -; }

@test "cluster: status --json matches its schema and shows the same nodes and jobs" {
  on $NAME login sbatch --job-name=sleeper --nodes=2 --output=/dev/null --wrap 'sleep 60'
  slipway status $NAME --json >"$BATS_TEST_TMPDIR/status.json"
  on $NAME login scancel --name=sleeper
  keeps_schema status <"$BATS_TEST_TMPDIR/status.json"
  run python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["state"], len(d["nodes"]), [j["name"] for j in d["jobs"]])' <"$BATS_TEST_TMPDIR/status.json"
  [ "$output" = "running 6 ['sleeper']" ] || { echo "$output" && false; }
}

@test "cluster: the model of its blueprint matches its schema" {
  slipway model "$SUITE/quickstart.yaml" | keeps_schema model
}

@test "cluster: a node has the machine type's 208 CPUs, memory and 8 GPUs" {
  run on $NAME controller scontrol show node "$FIRST"
  says "CPUTot=208"
  says "RealMemory=1860368"
  says "Gres=gpu:8"
  says "Sockets=2"
  says "ThreadsPerCore=2"
}

@test "cluster: Slurm knows which nodes are close to each other, as on Google Cloud" {
  run on $NAME controller scontrol show topology
  says "SwitchName=a3meganodeset Level=0 "
  says "SwitchName=slipway-root Level=1 "
  says "Nodes=${FIRST%-0}-[0-3]"
}

@test "cluster: every node has its own host name and network interface" {
  # --quiet: while nodes are still busy with the previous job, srun would report that it waits for them.
  run on $NAME login srun --quiet --nodes=4 sh -c 'echo "$(hostname) $(ip -brief -4 address show enp0s12)"'
  [ "$status" -eq 0 ]
  [ "$(awk '{ print $1 }' <<<"$output" | sort -u | wc -l)" -eq 4 ]
  [ "$(grep -oE '10\.[0-9.]+/[0-9]+' <<<"$output" | sort -u | wc -l)" -eq 4 ]
  [ "$(awk '{ print $1 }' <<<"$output" | sort)" = "$(compute_nodes $NAME)" ]
}

@test "cluster: /tmp is private to each node, and to each job" {
  run on $NAME login srun --quiet --nodes=4 sh -c 'echo "$SLURMD_NODENAME" > /tmp/mine; sleep 0.5; cat /var/tmp/mine'
  [ "$(sort <<<"$output")" = "$(compute_nodes $NAME)" ]
  run on $NAME login srun --quiet --nodes=4 find /tmp/ -name mine
  [ "$output" = "" ]
  run on $NAME login ls /tmp
  [[ "$output" != *mine* ]]
  [ ! -e /tmp/mine ]
}

@test "cluster: all nodes share /home, including the login and the controller" {
  on $NAME login sh -c 'echo written on the login > /home/shared'
  run on $NAME login srun --nodes=4 cat /home/shared
  [ "$(grep -c 'written on the login' <<<"$output")" -eq 4 ]
  on $NAME "$FIRST" sh -c 'echo written on a node >> /home/shared'
  run on $NAME controller cat /home/shared
  says "written on a node"
  [ ! -e /home/shared ]
}

@test "cluster: a node's changes to the system stay in the node" {
  on $NAME "$FIRST" touch /etc/changed-by-a-node
  [ ! -e /etc/changed-by-a-node ]
  run on $NAME login test -e /etc/changed-by-a-node
  [ "$status" -eq 1 ]
}

@test "cluster: the simulated GPUs are device nodes, and a job gets those it requests" {
  run on $NAME login srun --nodes=1 --gpus=3 sh -c 'echo "devices: $CUDA_VISIBLE_DEVICES"; test -c /dev/nvidia7'
  says "devices: 0,1,2"
}

@test "cluster: the login node has no GPUs and no slurmd" {
  run on $NAME login sh -c 'ls /dev/nvidia0; pgrep slurmd'
  [ "$status" -ne 0 ]
  [[ "$output" != */dev/nvidia0 ]]
}

@test "cluster: Slurm refuses a request for more GPUs than exist" {
  run on $NAME login srun --nodes=1 --gpus-per-node=9 true
  [ "$status" -ne 0 ]
}

@test "cluster: node.json on the nodes is valid and has each node's own name" {
  on $NAME "$FIRST" cat /etc/slipway/node.json >"$BATS_TEST_TMPDIR/node.json"
  keeps_schema node <"$BATS_TEST_TMPDIR/node.json"
  grep -q "\"node\": \"$FIRST\"" "$BATS_TEST_TMPDIR/node.json"
}

@test "cluster: sbatch runs on all nodes and its output is visible on the login node" {
  on $NAME login sh -c 'printf "#!/bin/sh\nsrun --quiet hostname\n" > /home/job.sh'
  on $NAME login sbatch --wait --nodes=4 --output=/home/job.out /home/job.sh
  run on $NAME login sort /home/job.out
  [ "$output" = "$(compute_nodes $NAME)" ]
}

# Eight kinds of lines are expected. slurmd 22.05 looks for a missing /tmp of a job before its prolog and its epilog.
# slurmctld warns users of pam_slurm_adopt about PrologFlags=Contain. A first start has no state to recover. When a job
# ends, slurmctld tells its srun (message 7004, SRUN_JOB_COMPLETE in Slurm's protocol), which may have ended already.
# The job that is canceled above may or may not have begun by then, and its node logs that as an error. On a busy
# machine slurmctld complains about slow calls at startup. Slurm 24.11 logs SRUN_JOB_COMPLETE by name, and when a job
# ends, the end of its X11 forwarding, which nobody requested, finds its /tmp gone.
@test "cluster: the daemons log no errors except those of a first start and of chance" {
  run as_owner sh -c "grep -rhE 'error|fatal' '$(deployments_folder)/$NAME/log' |
    grep -vE 'Could not open [a-z]+ state file|NOTE: Trying backup state save file|msg_type=7004: Unexpected missing socket|JOB .* CANCELLED AT|gettimeofday|ignore error|container_[gp]_join|msg_type=SRUN_JOB_COMPLETE\) failed|_x11_signal_handler: '"
  [ "$output" = "" ] || { echo "$output" && false; }
}
