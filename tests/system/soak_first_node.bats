# The node of the batch script and the launcher loses its power, hangs, or loses its network, under jobs with --no-kill,
# with --requeue and with neither: each job is requeued in time, nobody writes twice, nothing hangs in COMPLETING, and
# in the end all nodes serve with all GPUs. For comparison, the same faults under plain Slurm. The figures are printed.
# With SLIPWAY_TEST_IMAGE the nodes have the Slurm of that image (`slipway image list`).

# bats file_tags=apart
load helper

NAME=st-first

load first_node_helper

setup_file() {
  deploy $NAME --nodes a3mega_nodeset=5 ${SLIPWAY_TEST_IMAGE:+--image "$SLIPWAY_TEST_IMAGE"}
  install_program
}

teardown_file() { slipway destroy $NAME; }

teardown() { [ -n "${BATS_TEST_COMPLETED:-}" ] || clean_up; }

# survives 'OPTION OF SBATCH...' FAULT [argument...]
survives() {
  launch_survives "$@"
  echo "# ${1:-neither}, ${*:2}: queued again after $QUEUED s, node down after $DOWN s, runs again after $RUNNING s" >&3
}

# ends FAULT [argument...]: a job that cannot start without the node ends with the reason, in the same time
ends() {
  submit_launch 5 --no-kill
  fails "$@"
  wait_for record_has "Comment=slipway launch: job $JOB cannot be requeued: it needs 5 nodes, but only 4 are not excluded"
  local after
  after=$(seconds_since_fault)
  at_most "$after" $((HEARTBEAT + PROMISED))
  if [ "$1" = hang ]; then heal; else wait_for down_by_watch; fi
  has_completed() { [ -z "$(on $NAME login squeue --noheader --states=COMPLETING)" ]; }
  wait_for has_completed
  echo "# all nodes, $*: ended after $after s, completed after $(seconds_since_fault) s" >&3
  [ "$1" = hang ] || heal
  wait_for all_idle
  all_nodes_serve 5
}

# waits_for_slurm FAULT [argument...]: plain Slurm, without our watch on the controller
waits_for_slurm() {
  on $NAME controller pkill -STOP -f 'slipway node watch'
  submit 3 --requeue srun ./count.sh 3000
  fails "$@"
  # If a node's kernel accepts connections, Slurm finds out later, after MessageTimeout, too.
  wait_until_queued || wait_until_queued
  echo "# plain Slurm, $*: queued again after $QUEUED s" >&3
  on $NAME controller pkill -CONT -f 'slipway node watch'
  heal
  on $NAME login scancel "$JOB"
  wait_for all_idle
}

@test "first node: its power goes, with --no-kill" { survives --no-kill power-off; }
@test "first node: its power goes, with --requeue" { survives --requeue power-off; }
@test "first node: its power goes, with neither" { survives "" power-off; }
@test "first node: it hangs, with --no-kill" { survives --no-kill hang; }
@test "first node: it hangs, with --requeue" { survives --requeue hang; }
@test "first node: it hangs, with neither" { survives "" hang; }
@test "first node: its network goes, with --no-kill" { survives --no-kill link-down enp0s12; }
@test "first node: its network goes, with --requeue" { survives --requeue link-down enp0s12; }
@test "first node: its network goes, with neither" { survives "" link-down enp0s12; }

@test "first node: its power goes, and the job cannot start without it" { ends power-off; }
@test "first node: it hangs, and the job cannot start without it" { ends hang; }
@test "first node: its network goes, and the job cannot start without it" { ends link-down enp0s12; }

# A job's memory goes with its first node, and what it has written to disk stays.
@test "first node: its power goes, and the job resumes from the steps that it wrote to disk" {
  on $NAME login sh -c 'cat >/home/remember.sh; chmod 755 /home/remember.sh' <<'END'
#!/bin/bash
step=0
for each in "$SLIPWAY_CHECKPOINTS"/step-*; do
  [ ! -e "$each" ] || step=$(cat "$each/step")
done
[ "$RANK" != 0 ] || echo "${SLURM_RESTART_COUNT:-0} $step" >>"/home/begins-$SLURM_JOB_ID"
while [ "$step" -lt 3000 ]; do
  step=$((step + 1))
  mkdir "$SLIPWAY_CHECKPOINTS/step-$step.tmp"
  echo $step >"$SLIPWAY_CHECKPOINTS/step-$step.tmp/step"
  echo "$RANK" >"$SLIPWAY_CHECKPOINTS/step-$step.tmp/rank"
  mv "$SLIPWAY_CHECKPOINTS/step-$step.tmp" "$SLIPWAY_CHECKPOINTS/step-$step"
  echo $step >"$SLIPWAY_PROGRESS"
  [ "$RANK" != 0 ] || echo "${SLURM_RESTART_COUNT:-0} $step $(date +%s%3N)" >>"/home/steps-$SLURM_JOB_ID"
  sleep 0.1
done
END
  submit 3 "--no-kill --requeue" /opt/slipway/bin/slipway launch --heartbeat $HEARTBEAT --fast-checkpoints \
    --persist /home/kept --persist-every 10 -- ./remember.sh
  on_disk() { on $NAME login ls /home/kept 2>/dev/null | sed -n 's/^step-//p' | sort -n | tail -1; }
  has_kept() { [ "$(on_disk)" -ge "$1" ] 2>/dev/null; }
  wait_for has_kept 20
  local kept last first
  kept=$(on_disk)
  fails power-off
  wait_until_queued
  wait_for runs_again || { record; return 1; }
  last=$(steps | awk '$1 == 0 { last = $2 } END { print last }')
  first=$(on $NAME login awk '$1 == 1 { print $2; exit }' "/home/begins-$JOB")
  echo "# persisted: step $kept was on disk before the fault; resumed at $first after $last; queued again after $QUEUED s, runs again after $(seconds_since_fault) s" >&3
  [ "$first" -ge "$kept" ]
  has_said "each rank has step $first from /home/kept, written by job $JOB"
  heal
  on $NAME login scancel "$JOB"
  wait_for all_idle
  all_nodes_serve 5
}

@test "another node: its power goes, and no spare is left for it" {
  submit 3 --no-kill /opt/slipway/bin/slipway launch --heartbeat $HEARTBEAT -- ./count.sh 3000
  slipway fault $NAME $N-2 power-off
  wait_for record_has "Restarts=1 .*ExcNodeList=$N-2 "
  wait_for runs_again
  on $NAME login scancel "$JOB"
  slipway fault $NAME $N-2 clear
  wait_for all_idle
  all_nodes_serve 5
}

@test "first node: its power goes, under plain Slurm" { waits_for_slurm power-off; }
@test "first node: it hangs, under plain Slurm" { waits_for_slurm hang; }
@test "first node: its network goes, under plain Slurm" { waits_for_slurm link-down enp0s12; }
