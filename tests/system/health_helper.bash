# What tests of node_health share, about the deployment NAME.

# looks_of_slurm_every SECONDS: how often HealthCheckProgram runs; 0: never, from then on
looks_of_slurm_every() {
  sed -i "s/^HealthCheckInterval=.*/HealthCheckInterval=$1/" "$(deployments_folder)/$NAME/slurm/slurm.conf"
  on $NAME controller /opt/slipway/bin/slipway node restart slurmctld
  on $NAME controller scontrol reconfigure
}

fault() { slipway fault $NAME "$@"; }

# look NODE [option...]: as Slurm does between jobs
look() {
  local node=$1
  shift
  on $NAME "$node" /opt/slipway/bin/slipway health --stage periodic --act "$@"
}

reason_of() { on $NAME controller sinfo --noheader --Node --nodes="$1" --format='%E'; }

# serves_again NODE: it is looked at, and looked at again
serves_again() {
  look "$1" && look "$1"
  wait_for node_is "$1" idle
}

# job_is_moved_from NODE: a job that begins there is sent back by its prolog, and runs on another node
job_is_moved_from() {
  local job
  job=$(on $NAME login sbatch --parsable --nodes=1 --output=/home/moved.out --wrap 'hostname')
  # Slurm holds it back for a while. It may begin earlier, but not in the second in which the node was told that it has ended.
  is_held() { [ "$(on $NAME login scontrol show job "$job" | grep -cE 'JobState=PENDING|Restarts=1')" -eq 2 ]; }
  wait_for is_held
  sleep 2
  on $NAME login scontrol update "jobid=$job" starttime=now
  wait_for on $NAME login grep -q . /home/moved.out
  [ "$(on $NAME login cat /home/moved.out)" != "$1" ]
}
