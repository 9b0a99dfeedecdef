# Two to eight nodes fail the prolog of one job, are healed, and are watched for five minutes: slurmd repeats its report
# about a job until slurmctld forgets the job, MinJobAge (300 s) after its end.

# bats file_tags=apart
load helper
load health_helper

NAME=st-healed
N=sthealed-a3meganodeset

setup_file() {
  BLUEPRINT=$BATS_FILE_TMPDIR/health.yaml
  { cat "$TOP/examples/quickstart.yaml" && echo '      health_policy: {limits: {gpu_celsius: 85}, breaker: {nodes: 10}}'; } >"$BLUEPRINT"
  deploy $NAME --nodes a3mega_nodeset=9
  # Slurm checks all nodes every ten seconds.
  sed -i 's/^HealthCheckNodeState=.*/HealthCheckNodeState=ANY/' "$(deployments_folder)/$NAME/slurm/slurm.conf"
  slurm_checks_every 10
}

teardown_file() { slipway destroy $NAME; }

all_idle() { [ "$(on $NAME controller sinfo --noheader --format=%T | tr -d '*')" = idle ]; }

# slurmctld's log shows who drained a node and when; slurmd's log shows what slurmd repeats.
drains_of_slurm() { on $NAME controller grep -c "Prolog or job env setup failure" /var/log/slurm/slurmctld.log; }

# watched COUNT COMMAND...: COUNT nodes are unhealthy when COMMAND starts a job on all nodes
watched() {
  local count=$1 i end before
  shift
  wait_for all_idle
  before=$(drains_of_slurm || true)
  # Slurm does not check in between: the prolog must find it.
  slurm_checks_every 0
  for i in $(seq "$count"); do fault $N-"$i" gpu-celsius 1 95; done
  on $NAME login timeout 60 "$@" || true
  for i in $(seq "$count"); do wait_for drained $N-"$i"; done
  for i in $(seq "$count"); do fault $N-"$i" clear; done
  slurm_checks_every 10
  wait_for all_idle
  end=$((SECONDS + 300))
  while [ $SECONDS -lt $end ]; do
    [ "$(on $NAME controller sinfo --noheader --states=drain,down --format=%N)" = "" ] || {
      on $NAME controller sinfo -R
      return 1
    }
    sleep 2
  done
  [ "$(drains_of_slurm || true)" = "$before" ]
  on $NAME login scancel --user=root
}

drained() { [[ "$(on $NAME controller sinfo --noheader --Node --nodes="$1" --format=%T)" == drain* ]]; }

@test "healed: two of an srun" { watched 2 srun --nodes=9 hostname; }
@test "healed: five of an srun" { watched 5 srun --nodes=9 hostname; }
@test "healed: eight of an srun" { watched 8 srun --nodes=9 hostname; }
@test "healed: three of an salloc" { watched 3 salloc --nodes=9 srun hostname; }
@test "healed: four of a batch job with a step" { watched 4 sbatch --wait --nodes=9 --output=/dev/null --wrap 'srun hostname'; }
@test "healed: four of a batch job that may not be queued again" { watched 4 sbatch --wait --no-requeue --nodes=9 --output=/dev/null --wrap 'srun hostname'; }
@test "healed: two of a launch" { watched 2 sbatch --wait --nodes=9 --exclusive --no-kill --output=/dev/null --wrap '/opt/slipway/bin/slipway launch --no-kill -- true'; }
