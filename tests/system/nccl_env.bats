# The SPANK plugin nccl_env in a real Slurm.

load helper

NAME=st-nccl

setup_file() { deploy st-nccl; }

teardown_file() { slipway destroy st-nccl; }

# Runs srun on all nodes and prints the NCCL variables of each task.
nccl_of_tasks() { on $NAME login srun --nodes=4 "$@" sh -c 'env | grep ^NCCL_ | sort; true'; }

@test "nccl_env: every task gets the socket variables of its node's transport" {
  run nccl_of_tasks
  [ "$(grep -c '^NCCL_SOCKET_IFNAME==enp0s12$' <<<"$output")" -eq 4 ]
  [ "$(grep -c '^NCCL_NET=Socket$' <<<"$output")" -eq 4 ]
}

@test "nccl_env: a value that the user set wins" {
  run on $NAME login sh -c 'export NCCL_SOCKET_IFNAME=lo; srun --nodes=4 sh -c "echo \$NCCL_SOCKET_IFNAME"'
  [ "$(sort -u <<<"$output")" = lo ]
}

@test "nccl_env: --nccl-env=off leaves the job alone" {
  run nccl_of_tasks --nccl-env=off
  says ""
  [ "$output" = "" ]
}

@test "nccl_env: --nccl-env=show says once what was set and why, on stderr" {
  on $NAME login srun --nodes=4 --nccl-env=show true 2>"$BATS_TEST_TMPDIR/shown" >"$BATS_TEST_TMPDIR/stdout"
  [ "$(grep -c 'NCCL_SOCKET_IFNAME' "$BATS_TEST_TMPDIR/shown")" -eq 1 ]
  [ ! -s "$BATS_TEST_TMPDIR/stdout" ]
}

@test "nccl_env: an unknown choice is refused before the job is submitted" {
  run on $NAME login sbatch --nccl-env=shwo --wrap true
  [ "$status" -ne 0 ]
  [[ "$output" == *shwo* ]]
  [[ "$output" == *show* ]]
  run on $NAME login squeue --noheader --states=all --name=wrap
  [ "$output" = "" ]
}

@test "nccl_env: through sbatch, the tasks of srun get it, and sbatch's choice is theirs" {
  on $NAME login sh -c 'cat > /home/nccl.sh' <<'EOF'
#!/bin/sh
srun sh -c 'echo "[$NCCL_SOCKET_IFNAME]"'
EOF
  # Each takes all nodes: when the second one has ended, so has the first.
  on $NAME login sbatch --nodes=4 --output=/home/on.out /home/nccl.sh
  on $NAME login sbatch --wait --nodes=4 --nccl-env=off --output=/home/off.out /home/nccl.sh
  [ "$(on $NAME login sort -u /home/on.out)" = "[=enp0s12]" ]
  [ "$(on $NAME login sort -u /home/off.out)" = "[]" ]
}

@test "nccl_env: off is off in a batch script that gets nothing of the user's environment" {
  on $NAME login sbatch --wait --export=NONE --nccl-env=off --output=/home/none.out --wrap '/usr/bin/env | grep NCCL; true'
  run on $NAME login cat /home/none.out
  says ""
  [ "$output" = "" ]
}

@test "nccl_env: a broken node.json costs neither the job nor the node" {
  local first
  first=$(compute_nodes $NAME | head -n 1)
  on $NAME "$first" sh -c 'cp /etc/slipway/node.json /tmp/; echo "{" > /etc/slipway/node.json'
  run on $NAME login srun --nodelist="$first" sh -c 'echo "[$NCCL_NET]"'
  on $NAME "$first" cp /tmp/node.json /etc/slipway/node.json
  says "[]"
  run on $NAME controller sinfo --noheader --format=%T
  says "idle"
}
