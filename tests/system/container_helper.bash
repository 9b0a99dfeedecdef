# Shared by the tests of containers.

# put_image FILE OPTION...: makes an image, and puts it into /home of the deployment NAME
put_image() {
  local file=$1
  shift
  "$BATS_TEST_DIRNAME/container_image.py" "$BATS_FILE_TMPDIR/$file" "$@"
  on "$NAME" login sh -c 'cat >"$1"' sh "/home/$file" <"$BATS_FILE_TMPDIR/$file"
}

# sh_on NODE SCRIPT
sh_on() { on "$NAME" "$1" sh -c "$2"; }

# in_image OPTION... COMMAND...: srun in the image a.sqsh
in_image() { on "$NAME" login srun --quiet --container-image=/home/a.sqsh "$@"; }

# on_one OPTION... COMMAND...: srun on the first node, which has the named containers
on_one() { on "$NAME" login srun --quiet --nodes=1 --nodelist="$(compute_nodes "$NAME" | head -n 1)" "$@"; }

# on_nodes SCRIPT: on each compute node
on_nodes() {
  local node
  for node in $(compute_nodes "$NAME"); do sh_on "$node" "$1"; done
}

# all_are_idle: for wait_for: no job is left on the nodes, and none is drained
all_are_idle() { [ "$(on "$NAME" controller sinfo --noheader --format=%T | sort -u)" = idle ]; }

# nothing_runs: no process of the test or of a container is left on the nodes
nothing_runs() {
  run on_nodes 'pgrep -fa "[s]leep 8630[1-6]|[s]lipway-container|[s]quashfuse"; true'
  [ "$output" = "" ] || { echo "$output" && false; }
}

# ends_when_canceled OPTION...: a step on two nodes whose container never comes up, as `sleep 86306` is running for it
ends_when_canceled() {
  local job
  job=$(sh_on login "sbatch --parsable --nodes=2 --output=/home/canceled.out --wrap 'srun $* true'")
  starts() { [ "$(on_nodes 'pgrep -fx "sleep 86306" || true' | wc -l)" -eq 2 ]; }
  wait_for starts
  on "$NAME" controller scancel "$job"
  wait_for all_are_idle
  on "$NAME" controller scontrol show job "$job" | grep "JobState=CANCELLED" # and not requeued
  nothing_runs
}

# cancels_the_step_of_a_container IMAGE: a step that has joined continues, and another joins
cancels_the_step_of_a_container() {
  write_program /home/left.sh <<'END'
#!/bin/bash
#SBATCH --nodes=1
srun --overlap --container-image="$1" --container-name=left --container-entrypoint --container-mounts=/home \
  sh -c 'echo $SLURM_STEP_ID >/home/left.step; exec sleep 86303' &
until srun --overlap --container-name=left:exec true 2>/dev/null; do sleep 0.1; done
srun --overlap --container-name=left:exec sh -c 'touch /home/left.in; until test -e /home/left.end; do sleep 0.1; done; sha256sum /usr/bin/* >/dev/null && echo "still there"' &
joined=$!
until srun --overlap test -e /home/left.in; do sleep 0.1; done
scancel "$SLURM_JOB_ID.$(cat /home/left.step)"  # not always the first: until it runs, the loop has steps, too
wait %1
srun --overlap --container-name=left:exec echo "found again"
touch /home/left.end
wait $joined
END
  sh_on login "timeout 100 sbatch --quiet --wait --output=/home/left.out /home/left.sh $1"
  run on "$NAME" login cat /home/left.out
  says "found again"
  says "still there"
  wait_for all_are_idle
}

# use_cgroups CONTROLLER...: of cgroups v1, each with a folder of the node's own, in which slurmd starts again. The deployment's
# slurm.conf and cgroup.conf are there already.
use_cgroups() {
  local node
  on "$NAME" controller sh -c 'pkill -x slurmctld; while pgrep -x slurmctld; do sleep 0.1; done; slurmctld'
  for node in $(compute_nodes "$NAME"); do
    sh_on "$node" "set -e
      for controller in $*; do
        mkdir -p /run/\$controller /sys/fs/cgroup/\$controller
        mount -t cgroup -o \$controller cgroup /run/\$controller
        mkdir -p /run/\$controller/slipway-$NAME/$node
        for file in cpuset.cpus cpuset.mems; do
          [ \$controller = cpuset ] || continue
          cat /run/cpuset/\$file >/run/cpuset/slipway-$NAME/\$file
          cat /run/cpuset/\$file >/run/cpuset/slipway-$NAME/$node/\$file
        done
        mount --bind /run/\$controller/slipway-$NAME/$node /sys/fs/cgroup/\$controller
      done
      pkill -x slurmd; while pgrep -x slurmd; do sleep 0.1; done
      setsid slurmd"
  done
  wait_for all_are_idle
}

# leave_cgroups CONTROLLER...: after use_cgroups, before the deployment is destroyed
leave_cgroups() {
  local node
  for node in $(compute_nodes "$NAME"); do
    sh_on "$node" "pkill -x slurmd
      for controller in $*; do
        find /run/\$controller/slipway-$NAME -depth -type d -exec rmdir {} +
        umount -R /sys/fs/cgroup/\$controller /run/\$controller
      done" || true
  done
}
