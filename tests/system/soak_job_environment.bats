# Two hundred random job scripts, and the examples: their tasks have the same environment in Slurm and in pods.
#
#   RANDOM_SCRIPTS=200 RANDOM_SCRIPTS_SEED=2 tests/system/run.py tests/system/soak_job_environment.bats

# bats file_tags=apart
load job_run_helper

NAME=st-podsoak

setup_file() { deploy_for_pods; }

teardown_file() { slipway destroy $NAME; }

@test "job run: random scripts have the same environment as in Slurm" {
  "$BATS_TEST_DIRNAME/job_environment.py" scripts "${RANDOM_SCRIPTS:-200}" "${RANDOM_SCRIPTS_SEED:-2}" "$FILES/scripts"
  for script in "$FILES"/scripts/*; do
    has_same_environment "$script" || { cat "$script" && false; }
  done
}

# example SCRIPT: on the machines of the cluster, with programs that write their environment
example() {
  sed "s/--gpus-per-node=[0-9][0-9]*/--gpus-per-node=2/; s/--ntasks-per-node=8/--ntasks-per-node=2/; s/--ntasks-per-node=4/--ntasks-per-node=2/
    s/--nodes=[0-9][0-9]*/--nodes=3/; s/--min-nodes [0-9]*/--min-nodes 2/; s|/opt/slipway/bin/all_gather_perf|/home/programs/all_gather_perf|" "$1"
}

@test "job run: so have all examples but those in containers of others" {
  local count=0 options path=/opt/slipway/share/slipway/examples/bandwidth
  cp "$TOP/examples/bandwidth/common.sh" "$FILES/" # what they source is read beside them
  for script in "$TOP"/examples/*.sbatch "$TOP"/examples/*/*.sbatch; do
    case $script in */maxtext/* | */megatron-bridge/* | */nemo/*) continue ;; esac
    options=()
    if [[ $script == */train/* ]]; then options=(-- --launch); fi
    example "$script" >"$FILES/example.sbatch"
    has_same_environment "$FILES/example.sbatch" BANDWIDTH_PROGRAMS=/home/programs BANDWIDTH_EXAMPLES=$path TRAIN_EXAMPLE=/home/example "${options[@]}" ||
      { echo "$script" && false; }
    count=$((count + 1))
  done
  [ "$count" -ge 11 ]
}
