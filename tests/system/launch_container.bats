# `slipway launch --container-image`: agents outside, tasks inside, on a real Slurm.

# bats file_tags=long
load helper

NAME=st-launched
N=stlaunched-a3meganodeset

load launch_helper

# The image has no library of the agents, sets what PyTorch's images set, and NCCL variables of its own.
setup() {
  [ -e "$BATS_FILE_TMPDIR/train.sqsh" ] && return
  "$BATS_TEST_DIRNAME/container_image.py" "$BATS_FILE_TMPDIR/train.sqsh" --env FROM_IMAGE=image --env NCCL_NET=FromImage \
    --env PYTORCH_VERSION=2 --workdir /srv
  on "$NAME" login sh -c 'cat >/home/train.sqsh' <"$BATS_FILE_TMPDIR/train.sqsh"
}

container="--container-image=/home/train.sqsh --container-mounts=/home"

@test "launch in a container: tasks are inside, agents outside, and each knows its place" {
  submit --spares 1 --ntasks-per-node 2 --label "$container" -- sh -c "'test -e /usr/sbin/slurmd || echo inside \$FROM_IMAGE \$NCCL_NET \$(pwd) \$RANK of \$WORLD_SIZE'"
  ended 0
  for rank in 0 1 2 3 4 5 6 7; do grep -qx "$rank: inside image Socket /srv $rank of 8" <<<"$output"; done
}

@test "launch in a container: a job loses a node and continues on the spare, in its container" {
  submit --spares 1 --heartbeat 2 "$container" -- /home/count.sh 60
  wait_for at_step 5
  slipway fault "$NAME" "$N-2" power-off
  ended 0
  slipway fault "$NAME" "$N-2" power-on
  says "attempt 2 on 4 nodes"
  says "rank 2 of 4 at $N-0"
  ledger --json >"$BATS_TEST_TMPDIR/account.json"
  grep -q '"attempts": 2' "$BATS_TEST_TMPDIR/account.json"
  wait_for nodes_are_back
}
nodes_are_back() { [ "$(on "$NAME" login sinfo --noheader --Node --format=%T | grep -c -x idle)" -eq 5 ]; }

@test "launch in a container: a restart stays in the container, whose files persist" {
  submit --container-writable "$container" -- sh -c "'ls /srv; echo \$SLIPWAY_RESTART_COUNT >/srv/seen-\$SLIPWAY_RESTART_COUNT; [ \$SLIPWAY_RESTART_COUNT = 1 ] || [ \$RANK != 1 ]'"
  ended 0
  [ "$(grep -cx seen-0 <<<"$output")" -eq 5 ] || { echo "$output" && return 1; }
}

@test "launch in a container: options in PYXIS_CONTAINER_ variables count, too" {
  on "$NAME" login sh -c 'cat >/home/variables.sh' <<'END_OF_SCRIPT'
export PYXIS_CONTAINER_IMAGE=/home/train.sqsh PYXIS_CONTAINER_MOUNTS=/home
exec /opt/slipway/bin/slipway launch --no-kill -- sh -c 'test -e /usr/sbin/slurmd || echo inside $RANK'
END_OF_SCRIPT
  run on "$NAME" login sh -c 'cd /home; sbatch --wait --nodes=2 --exclusive --no-kill --output=/home/variables.out --wrap "sh /home/variables.sh"; cat /home/variables.out'
  says "inside 0"
  says "inside 1"
}

@test "launch in a container: an image that is not there ends the job with its message" {
  submit --container-image=/home/nowhere.sqsh -- true
  ended 1
  says nowhere.sqsh
  says "the step of the container has ended"
}

@test "launch in a container: no folder and no process of it is left" {
  submit "$container" -- true
  ended 0
  run on "$NAME" login sh -c 'ls -A /home'
  lacks slipway-container
  for node in 0 1 2 3 4; do
    run on "$NAME" "$N-$node" pgrep -f slipway-container-
    [ "$output" = "" ]
  done
}
