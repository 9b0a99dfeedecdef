# Containers on nodes whose slurmd finds a job's processes by their cgroups, as on Google Cloud. The freezer of cgroups v1 is
# mounted on the nodes, each with a folder of its own. Needs root, and a machine that has that controller.

# bats file_tags=apart
load helper
load container_helper

NAME=st-concgroup

setup_file() {
  local conf
  deploy $NAME --nodes a3mega_nodeset=2
  put_image rc.sqsh --program setsid --rc '(setsid sleep 86301 &); exec "$@"'
  conf=$(deployments_folder)/$NAME/slurm
  sed -i 's,proctrack/linuxproc,proctrack/cgroup,' "$conf/slurm.conf"
  printf 'CgroupPlugin=cgroup/v1\nCgroupMountpoint=/sys/fs/cgroup\nCgroupAutomount=no\n' >"$conf/cgroup.conf"
  use_cgroups freezer
}

teardown_file() {
  leave_cgroups freezer
  slipway destroy $NAME
}

teardown() { leave_nothing; }

# step_of COMMAND: the last part of the cgroup of the process whose command line is this, on the node NODE
step_of() { sh_on "$NODE" "sed -n 's,.*:freezer:.*/,,p' /proc/\$(pgrep -fx '$1')/cgroup"; }

@test "container cgroups: tasks are in their step's cgroup, also those that join, and a canceled step ends them all" {
  local job made joined
  write_program /home/two.sh <<'END'
#!/bin/bash
#SBATCH --nodes=1
srun --overlap --container-image=/home/rc.sqsh --container-name=both --container-entrypoint bash -c '(setsid sleep 86302 &); sleep 86303' &
until srun --overlap --container-name=both:exec true 2>/dev/null; do sleep 0.1; done
srun --overlap --container-name=both:exec bash -c '(setsid sleep 86304 &); sleep 86305'
echo joined >/home/joined-ended
wait
END
  job=$(sh_on login 'sbatch --parsable --output=/home/two.out /home/two.sh')
  running() { [ "$(on_nodes 'pgrep -fx "sleep 8630[1-5]" || true' | wc -l)" -eq 5 ]; }
  wait_for running
  NODE=$(on $NAME controller squeue --noheader --jobs="$job" --format=%N)
  made=$(step_of 'sleep 86303')
  joined=$(step_of 'sleep 86305')
  [[ "$made $joined" == step_[0-9]*" "step_[0-9]* ]]
  [ "$made" != "$joined" ]
  [ "$(step_of 'sleep 86302') $(step_of 'sleep 86304')" = "$made $joined" ]
  # The container itself outlives what its tasks do to their step, and ends with the job at the latest.
  [ "$(step_of 'sleep 86301') $(step_of slipway-container)" = "job_$job job_$job" ]

  on $NAME controller scancel "$job.${joined#step_}"
  wait_for on $NAME login test -e /home/joined-ended
  run on_nodes 'pgrep -fxa "sleep 8630[1-5]" || true'
  [ "$(cut -d' ' -f2- <<<"$output" | sort | xargs)" = "sleep 86301 sleep 86302 sleep 86303" ] || { echo "$output" && false; }

  on $NAME controller scancel "$job"
  wait_for all_are_idle
  nothing_runs
}

@test "container cgroups: the container of a canceled step stays up for the steps that have joined it" {
  cancels_the_step_of_a_container /home/rc.sqsh
  nothing_runs
}

@test "container cgroups: a job is canceled while /etc/rc of its image runs, and what that has started ends, too" {
  put_image slow.sqsh --program setsid --rc '(setsid sleep 86301 &); sleep 86306; exec "$@"'
  ends_when_canceled --container-image=/home/slow.sqsh
}

@test "container cgroups: a job is canceled while its image is imported" {
  write_program /home/slow-importer <<'END'
#!/bin/sh
[ $1 = release ] || sleep 86306
END
  echo "optional /opt/slipway/lib/slipway/spank/container.so importer=/home/slow-importer" >"$SUITE/prefix/lib/slipway/spank/container/container.conf"
  ends_when_canceled --container-image=known
}

@test "container cgroups: if /etc/rc fails, nothing that it has started is left" {
  put_image fails.sqsh --program setsid --rc '(setsid sleep 86301 &); exit 3'
  run on $NAME login srun --container-image=/home/fails.sqsh true
  fails_with 1 "/etc/rc of the image ended with status 3"
  nothing_runs
}

@test "container cgroups: tasks of a step that saves its container are in the step's cgroup, and a signal reaches each once" {
  local job NODE
  write_program /home/saves.sh <<'END'
#!/bin/bash
#SBATCH --nodes=1 --ntasks=2 --output=/home/saves.out
srun --container-image=/home/rc.sqsh --container-mounts=/home --container-save=/home/saved.sqsh bash -c \
  'trap "echo got >>/home/saves.got" USR1; touch /home/saves.$SLURM_PROCID; until test -e /home/saves.end; do sleep 0.1; done; sleep 86306 & kill $!'
echo "status $?"
END
  job=$(on $NAME login sbatch --parsable /home/saves.sh)
  wait_for on $NAME login test -e /home/saves.0 -a -e /home/saves.1
  NODE=$(on $NAME controller squeue --noheader --jobs="$job" --format=%N)
  run sh_on "$NODE" "for p in \$(pgrep -f '^[^ ]*bash -c .*[s]aves.got'); do sed -n 's,.*:freezer:.*/,,p' /proc/\$p/cgroup; done"
  [ "$(sort -u <<<"$output")" = step_0 ] || { echo "$output" && false; }
  on $NAME login scancel --signal=USR1 "$job.0"
  sleep 1
  on $NAME login touch /home/saves.end
  is_over() { on $NAME controller scontrol show job "$job" | grep -Eq 'JobState=(COMPLETED|FAILED)'; }
  wait_for is_over
  run on $NAME login cat /home/saves.out /home/saves.got
  [ "$(grep -c '^got$' <<<"$output")" -eq 2 ] || { echo "$output" && false; }
  [[ "$output" == *"status 0"* ]]
  on $NAME login test -s /home/saved.sqsh
  nothing_runs
}
