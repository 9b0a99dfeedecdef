# Scripts that people submit to clusters with pyxis and enroot: examples/nemo, examples/maxtext and
# examples/megatron-bridge unchanged, and scripts in the two shapes of published recipes, on 2, 4 and 8 nodes, as root
# and as an ordinary user. The image has a stub in place of the training programs; Python and PyTorch are this
# machine's, mounted.

# bats file_tags=long
load helper

NAME=st-scripts
N=stscripts-a3meganodeset
EXAMPLES=/opt/slipway/share/slipway/examples
STUB_USER=alice
HOST=/usr/bin:/usr/bin:ro,/usr/lib:/usr/lib:ro,/etc/alternatives:/etc/alternatives:ro

setup_file() {
  deploy $NAME --nodes a3mega_nodeset=8
  add_user $STUB_USER --uid 5000 --no-create-home --home-dir /home/$STUB_USER --shell /bin/bash
  on $NAME login sh -c "mkdir -p /home/images /home/$STUB_USER && chown 5000 /home/$STUB_USER && touch /home/$STUB_USER/stub-home"
  local stub=$BATS_TEST_DIRNAME/container_stub.py image=$SUITE/scripts.sqsh
  # Debian's PyTorch has no libuv, which is the default of PyTorch 2.4 and newer.
  "$BATS_TEST_DIRNAME/container_image.py" "$image" --text etc/stub-image=stub --mode etc/stub-image=644 \
    --env NCCL_SOCKET_IFNAME=image0 --env STUB_IMAGE_VARIABLE=1 --env USE_LIBUV=0 \
    --file usr/local/bin/nemo="$stub" --mode usr/local/bin/nemo=755 \
    --file usr/local/bin/torchrun="$BATS_TEST_DIRNAME/torchrun.py" --mode usr/local/bin/torchrun=755 \
    --file opt/Megatron-Bridge/scripts/performance/run_script.py="$stub" \
    --text opt/maxtext/src/maxtext/__init__.py= --text opt/maxtext/src/maxtext/trainers/__init__.py= \
    --text opt/maxtext/src/maxtext/trainers/pre_train/__init__.py= \
    --file opt/maxtext/src/maxtext/trainers/pre_train/train.py="$stub" \
    --file opt/stub.py="$stub"
  write_program "/home/images/nvcr.io#stub+1.sqsh" <"$image"
}

teardown_file() { slipway destroy $NAME; }

as_user() { slipway exec $NAME login --user $STUB_USER --chdir /home/$STUB_USER -- "$@"; }
as_root() { slipway exec $NAME login --chdir /home/images -- "$@"; }

# submit AS SCRIPT OPTION...: runs a script to its end. Its output is in $output.
submit() {
  local as=$1 script=$2
  shift 2
  "as_$as" rm -f out  # the scripts append
  local folder=/home/images job
  [ "$as" = root ] || folder=/home/$STUB_USER
  job=$("as_$as" env IMAGE='/home/images/nvcr.io#stub+1.sqsh' MOUNTS="$HOST" RESULTS="$folder/results" \
    sbatch --parsable --output="$folder/out" "$@" "$script")
  wait_for has_ended "$job"
  run "as_$as" cat out
  on $NAME controller scontrol show job "$job" | grep -q JobState=COMPLETED || { echo "$output" && false; }
}

# Not by sbatch --wait, which asks less and less often.
has_ended() { on $NAME controller scontrol show job "$1" | grep -Eq 'JobState=(COMPLETED|FAILED|TIMEOUT|CANCELLED)'; }

# ranks COUNT HOSTS: each rank took part in one all_reduce in the image
ranks() {
  local rank sum=$(($1 * ($1 + 1) / 2))
  for ((rank = 0; rank < $1; rank++)); do
    says "rank $rank of $1 in stub: sum $sum over $2 hosts"
  done
}

@test "scripts: examples/megatron-bridge starts torchrun on four nodes" {
  submit root $EXAMPLES/megatron-bridge/pretrain.sbatch --export=ALL,GPUS_PER_NODE=1,STEPS=7
  ranks 4 4
  says "folder /results, home unseen"
  says "'--gpu', 'h100', '--num_gpus', '4', '--gpus_per_node', '1'"
  says "'--global_batch_size', '16'"
  says "'--max_steps', '7'"
  run on $NAME login cat /home/images/results/done
  says 10
}

@test "scripts: examples/nemo starts a task for each GPU" {
  submit user $EXAMPLES/nemo/pretrain.sbatch --ntasks-per-node=2 --export=ALL,OPTIONS=trainer.max_steps=9
  ranks 4 2
  says "local 1, folder /results, home unseen"
  [[ "$output" != *image0* ]]  # what the image sets is not this network's
  says "llama3_8b(num_nodes=2, num_gpus_per_node=2, dir='/results'"
  says "'data.micro_batch_size=1', 'data.global_batch_size=128', 'trainer.max_steps=50', 'trainer.max_steps=9'"
}

# bats test_tags=thorough
@test "scripts: examples/maxtext finds its coordinator through Slurm" {
  submit root $EXAMPLES/maxtext/train.sbatch --nodes=2 --ntasks-per-node=2
  ranks 4 2
  says "'hardware=gpu_multiprocess'"
  says "'ici_fsdp_parallelism=2', 'dcn_data_parallelism=2', 'per_device_batch_size=2'"
}

# bats test_tags=thorough
@test "scripts: the shape with torchrun, on two and eight nodes" {
  on $NAME login sh -c 'cat >/home/images/shape_a.sbatch' <<'END'
#!/bin/bash
#SBATCH --job-name=shape-a
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gres=gpu:8
#SBATCH --mem=0
#SBATCH --exclusive
#SBATCH --open-mode=append
#SBATCH --comment=a\#b
set -e
export ENROOT_CONFIG_PATH=$HOME/.config/enroot
[ -f "$IMAGE" ] || enroot import --output "$IMAGE" -- docker://nvcr.io#nvidia/nemo:25.11
recipe=$(mktemp -d "$PWD/recipe-XXXXXX")
cat >"$recipe/launch_script.sh" <<'INNER'
export LD_LIBRARY_PATH="/usr/local/cuda/compat/lib:$NCCL_PLUGIN_PATH:$LD_LIBRARY_PATH"
touch /opt/written
torchrun --nproc-per-node=1 --nnodes="$NNODES" --node_rank="$JOB_COMPLETION_INDEX" --rdzv_id="$JOB_IDENTIFIER" \
  --master_addr="$MASTER_ADDR" --master_port="$MASTER_PORT" --no-python bash -c 'python3 /opt/stub.py'
[ "$JOB_COMPLETION_INDEX" != 0 ] || env >"$ARTIFACT_DIR/environ.txt"
INNER
chmod +x "$recipe/launch_script.sh"
artifacts=$recipe/artifacts
mkdir "$artifacts"
export NNODES=$SLURM_NNODES MASTER_PORT=29500 ARTIFACT_DIR=/artifacts JOB_IDENTIFIER=shape-a
MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
export MASTER_ADDR
srun --container-image="$IMAGE" \
  --container-mounts="$recipe:/recipe:mkdir,$artifacts:$ARTIFACT_DIR:mkdir,$MOUNTS" \
  --container-workdir=/recipe \
  --container-writable \
  bash -c 'export JOB_COMPLETION_INDEX=$SLURM_NODEID; bash ./launch_script.sh'
grep -q '^JOB_COMPLETION_INDEX=0$' "$artifacts/environ.txt" && ! test -e /opt/written && echo "artifacts are there"
END
  local nodes as
  for nodes in 2 8; do
    as=user
    [ $nodes -eq 2 ] || as=root
    submit $as /home/images/shape_a.sbatch --nodes=$nodes
    ranks $nodes $nodes
    says "folder /recipe"
    says "artifacts are there"
  done
}

# bats test_tags=thorough
@test "scripts: the shape with a task for each GPU, PMIx and a program that was broadcast" {
  on $NAME login sh -c 'cat >/home/images/shape_b.sbatch' <<'END'
#!/bin/bash
#SBATCH --exclusive
#SBATCH --job-name=shape-b
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=2
#SBATCH --mem=0
#SBATCH --time=24:00:00
#SBATCH --open-mode=append
set -e
nodes=( $( scontrol show hostnames ${SLURM_JOB_NODELIST} ) )
export MASTER_ADDR=${nodes[0]} MASTER_PORT=6002 PMIX_MCA_gds=^ds12 BASE_DIR=$PWD
copied=/dev/shm/stub-$SLURM_JOB_ID.sqsh
sbcast -C -f -p "$IMAGE" "$copied"
srun --overlap cmp "$IMAGE" "$copied"
srun \
  --container-image "$IMAGE" \
  --container-mounts "$BASE_DIR:$BASE_DIR,$MOUNTS" \
  --container-workdir "$BASE_DIR" \
  --no-container-mount-home \
  --container-writable \
  --gres=gpu:8 \
  -l \
  $MPI \
  bash -c "
    unset NCCL_SOCKET_IFNAME
    export WORLD_SIZE=\${SLURM_NTASKS}
    export RANK=\${SLURM_PROCID}
    export LOCAL_RANK=\${SLURM_LOCALID}
    export NODE_RANK=\${SLURM_NODEID}
    if [ -f /usr/local/gib/scripts/set_nccl_env.sh ]; then
        source /usr/local/gib/scripts/set_nccl_env.sh
    fi
    python3 /opt/stub.py
  "
END
  local mpi=
  slurm_has_pmix && mpi=--mpi=pmix
  submit user /home/images/shape_b.sbatch --export=ALL,MPI="$mpi"
  ranks 4 2
  says "3: rank 3 of 4 in stub"
  says "local 1, folder /home/$STUB_USER, home seen, {'NCCL_SOCKET_IFNAME': '-'}"
  submit root /home/images/shape_b.sbatch --nodes=4 --ntasks-per-node=1 --export=ALL,MPI="$mpi"
  ranks 4 4
}

# bats test_tags=thorough
@test "scripts: recipes for A3 Ultra and A4 find gIB on the nodes, with nothing prepared" {
  local machine NAME
  for machine in a3-ultragpu-8g a4-highgpu-8g; do
    NAME=st-scripts-${machine%%-*}
    sed "s/a3-megagpu-8g/$machine/; s/CoresPerSocket: 52/CoresPerSocket: 56/" "$BLUEPRINT" >"$SUITE/$machine.yaml"
    slipway deploy "$SUITE/$machine.yaml" --vars deployment_name=$NAME --nodes a3mega_nodeset=2
    on $NAME login mkdir -p /home/images
    write_program "/home/images/nvcr.io#stub+1.sqsh" <"$SUITE/scripts.sqsh"
    on $NAME login sh -c 'cat >/home/images/gib.sbatch' <<'END'
#!/bin/bash
#SBATCH --job-name=gib
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gres=gpu:8
#SBATCH --mem=0
#SBATCH --exclusive
#SBATCH --open-mode=append
set -e
export MASTER_PORT=29500
MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
export MASTER_ADDR
srun --container-image="$IMAGE" \
  --container-mounts="/usr/local/gib,$MOUNTS" \
  --container-workdir=/tmp \
  --container-writable \
  bash -c '
    set -eu
    unset NCCL_SOCKET_IFNAME
    export LD_LIBRARY_PATH="/usr/local/gib/lib64:${LD_LIBRARY_PATH:-}"
    source /usr/local/gib/scripts/set_nccl_env.sh
    ls -d /usr/local/gib/lib64
    export WORLD_SIZE=$SLURM_NTASKS RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID
    python3 /opt/stub.py
    echo "$RANK: $NCCL_NET, class $NCCL_IB_TC, NVLS $NCCL_NVLS_CHUNKSIZE"
  '
END
    submit root /home/images/gib.sbatch
    ranks 2 2
    says "0: gIB, class 52, NVLS 524288"
    says "1: gIB, class 52, NVLS 524288"
    slipway destroy $NAME
  done
}

@test "scripts: options in #SBATCH lines run the whole batch script in the image" {
  on $NAME login sh -c 'cat >/home/images/batch.sbatch' <<'END'
#!/bin/bash
#SBATCH --nodes=1
#SBATCH --container-image=/home/images/nvcr.io\#stub+1.sqsh
#SBATCH --container-workdir=/opt
cat /etc/stub-image
echo "folder $PWD, image's variable $STUB_IMAGE_VARIABLE"
END
  submit root /home/images/batch.sbatch
  says stub
  says "folder /opt, image's variable 1"
}

@test "scripts: srun --auto-resume=1 runs, and prints the line that restarts a step" {
  run on $NAME login srun --auto-resume=1 --nodes=2 sh -c 'echo ran on $SLURM_NODEID'
  says "ran on 0"
  says "ran on 1"
  says "srun:   slipway launch --spares 1 -- sh -c 'echo ran on \$SLURM_NODEID'"
  run on $NAME login srun --auto-resume=0 hostname
  [[ "$output" != *"slipway launch"* ]]
  run on $NAME login srun --auto-resume=yes hostname
  [ "$status" -ne 0 ]
  [[ "$output" == *"--auto-resume has no value \`yes\`"* ]]
}
