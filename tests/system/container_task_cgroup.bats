# Containers on nodes whose slurmd finds a job's processes by their parents, as on local clusters, and limits tasks by cgroups.
# Controllers of cgroups v1 are mounted on the nodes, each with a folder of its own. Needs root, and a machine that has them.

# bats file_tags=apart
load helper
load container_helper

NAME=st-contask

setup_file() {
  local conf
  deploy $NAME --nodes a3mega_nodeset=2
  put_image rc.sqsh --program setsid --program awk --rc '(setsid sleep 86301 &); exec "$@"'
  conf=$(deployments_folder)/$NAME/slurm
  sed -i 's,task/none,task/cgroup,' "$conf/slurm.conf"
  # Not the devices: the simulated GPUs are /dev/null.
  printf 'CgroupPlugin=cgroup/v1\nCgroupMountpoint=/sys/fs/cgroup\nCgroupAutomount=no\nConstrainCores=yes\nConstrainRAMSpace=yes\n' >"$conf/cgroup.conf"
  use_cgroups cpuset memory
}

teardown_file() {
  leave_cgroups cpuset memory
  slipway destroy $NAME
}

teardown() {
  on $NAME login scancel --quiet --user=root
  leave_nothing
}

@test "container task cgroups: a step's tasks and its container are in its cgroup, with its memory" {
  run on_one --mem=100 --container-image=/home/rc.sqsh sh -c 'sed -n "s,.*:memory:.*/\(step_[^/]*\).*,\1,p" /proc/self/cgroup'
  says step_0
  run on_one --mem=100 --container-image=/home/rc.sqsh awk 'BEGIN { text = "x"; while (length(text) < 300000000) text = text text }'
  [ "$status" -ne 0 ]
  [[ "$output" == *"Out Of Memory"* ]]
  run on_one --mem=100 --container-image=/home/rc.sqsh echo next
  says next
  nothing_runs
}

@test "container task cgroups: the container of a canceled step stays up for the steps that have joined it" {
  cancels_the_step_of_a_container /home/rc.sqsh
  nothing_runs
}

@test "container task cgroups: a job is canceled while /etc/rc of its image runs, and what that has started ends, too" {
  put_image slow.sqsh --program setsid --rc '(setsid sleep 86301 &); sleep 86306; exec "$@"'
  ends_when_canceled --container-image=/home/slow.sqsh
}
