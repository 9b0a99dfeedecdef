# Shared by tests in which the node of the batch script and the launcher dies: NAME is a deployment of five nodes.

N=${NAME//-/}-a3meganodeset
HEARTBEAT=2
PROMISED=30 # seconds until the job is requeued, after the heartbeat has timed out

# A program that counts steps of 0.1 s. Rank 0 records in /home/steps-JOB which run of the job does which step.
install_program() {
  on "$NAME" login sh -c 'cat >/home/count.sh; chmod 755 /home/count.sh' <<'END'
#!/bin/bash
step=0
while [ "$step" -lt "$1" ]; do
  step=$((step + 1))
  [ -z "${SLIPWAY_PROGRESS:-}" ] || echo $step >"$SLIPWAY_PROGRESS"
  [ "${RANK:-${SLURM_PROCID:-0}}" != 0 ] || echo "${SLURM_RESTART_COUNT:-0} $step $(date +%s%3N)" >>"/home/steps-$SLURM_JOB_ID"
  sleep 0.1
done
END
}

# submit NODES 'OPTION OF SBATCH...' COMMAND...: starts a job on whole nodes with all of their GPUs, and waits until it
# runs. Its number is in JOB, its output in /home/JOB.out
submit() {
  local nodes=$1 options=$2
  shift 2
  on "$NAME" login sh -c 'cat >/home/job.sbatch' <<END
#!/bin/bash
#SBATCH --nodes=$nodes --gpus-per-node=8 --exclusive --open-mode=append $options
#SBATCH --output=/home/%j.out --chdir=/home
$*
END
  JOB=$(on "$NAME" login sbatch --parsable /home/job.sbatch)
  wait_for does_step 5
}

# submit_launch NODES 'OPTION OF SBATCH...': under slipway launch, with a spare. It refuses a job without --no-kill
# unless an option overrides that.
submit_launch() {
  submit "$1" "$2" /opt/slipway/bin/slipway launch --no-kill --spares 1 --heartbeat $HEARTBEAT -- ./count.sh 3000
}

steps() { on "$NAME" login cat "/home/steps-$JOB" 2>/dev/null; }
does_step() { steps | awk -v step="$1" '$2 >= step { found = 1 } END { exit !found }'; }
runs_again() { steps | awk '$1 == 1 && $2 >= 5 { found = 1 } END { exit !found }'; }
has_said() { on "$NAME" login grep -q -- "$1" "/home/$JOB.out"; }
record() { on "$NAME" login scontrol show job --oneliner "$JOB"; }
record_has() { record | grep -q -- "$1"; }
slurmctld_log() { on "$NAME" controller cat /var/log/slurm/slurmctld.log; }

# fails FAULT [argument...]: the first node has this fault now
fails() {
  slipway fault "$NAME" "$N-0" "$@"
  FAILED_AT=$(date +%s%3N)
}
seconds_since_fault() { awk -v from="$FAILED_AT" -v to="$(date +%s%3N)" 'BEGIN { printf "%.1f\n", (to - from) / 1000 }'; }
at_most() { awk -v value="$1" -v most="$2" 'BEGIN { exit !(value <= most) }'; }

# Waits until the job is requeued; the seconds since the fault are in QUEUED.
wait_until_queued() {
  wait_for record_has "Restarts=1 " || { record; return 1; }
  QUEUED=$(seconds_since_fault)
}

# down_by_watch: the watch that runs as root has told Slurm about the first node
down_by_watch() {
  [ "$(on "$NAME" controller sinfo --noheader --Node --nodes="$N-0" --format='%E')" = "slipway: the node is off or out of reach" ]
}

# nobody_writes_twice: the first run does no step from a few seconds after the fault on, except for a moment after
# HEALED_AT, in which frozen programs notice that they are over; and none once the next run has begun
nobody_writes_twice() {
  steps | awk -v ends=$((FAILED_AT + HEARTBEAT * 1000 + 6000)) -v healed="$HEALED_AT" '
    $1 < last { print "run " $1 " did step " $2 " after run " last " had begun"; bad = 1 }
    $1 == 0 && $3 > ends && ($3 < healed || $3 > healed + 3000) { print "run 0 did step " $2 " when it was over"; bad = 1 }
    { last = $1 }
    END { exit bad }'
}

# The ledger of a requeued job: the first run's launcher writes nothing after the second run begins.
ledger_is_in_order() {
  on "$NAME" login cat "/home/slipway-ledger-$JOB.jsonl" | python3 -c '
import json, sys
attempts = [json.loads(line).get("attempt", 0) for line in sys.stdin]
attempts = [each for each in attempts if each]
assert attempts == sorted(attempts), attempts'
}

# all_nodes_serve NODES: every node takes part in a job on all of them, with all GPUs, so Slurm has lost count of none
all_nodes_serve() {
  on "$NAME" login timeout 60 srun --quiet --nodes="$1" --gpus-per-node=8 --exclusive true || {
    on "$NAME" login squeue
    on "$NAME" controller scontrol show node --details | grep -E 'NodeName|State=|GresUsed'
    return 1
  }
  local wrong
  wrong=$(slurmctld_log | grep -E 'bad node_offset|underflow|under-allocated' || true)
  [ -z "$wrong" ] || { echo "$wrong"; return 1; }
}

# heal: the first node serves again
heal() {
  HEALED_AT=$(date +%s%3N)
  slipway fault "$NAME" "$N-0" clear || true
  wait_for node_is "$N-0" idle
}

all_idle() { [ "$(on "$NAME" controller sinfo --noheader --format=%T | sort -u)" = idle ]; }

# launch_survives 'OPTION OF SBATCH...' FAULT [argument...]: the job of three nodes is requeued in time, Slurm learns of
# the node, and the job runs elsewhere. QUEUED, DOWN and RUNNING are in seconds after the fault.
# shellcheck disable=SC2034
launch_survives() {
  local options=$1
  shift
  submit_launch 3 "$options"
  fails "$@"
  wait_until_queued
  at_most "$QUEUED" $((HEARTBEAT + PROMISED))
  wait_for down_by_watch
  DOWN=$(seconds_since_fault)
  # If the kernel still accepts connections, slurmstepd waits for the answer of a frozen srun.
  [ "$1" != hang ] || heal
  wait_for runs_again || { record; return 1; }
  RUNNING=$(seconds_since_fault)
  record_has "JobState=RUNNING .* NodeList=$N-\[1-3\] "
  record_has "ExcNodeList=$N-0 "
  [ "$1" = hang ] || heal
  sleep 4
  record_has "Restarts=1 "
  record_has "JobState=RUNNING "
  nobody_writes_twice
  ledger_is_in_order
  on "$NAME" login scancel "$JOB"
  wait_for all_idle
  all_nodes_serve 5
}

# For teardown after a failed test: leaves no job and no fault to the next.
clean_up() {
  slipway fault "$NAME" "$N-0" clear || true
  on "$NAME" login scancel --user=root || true
  wait_for all_idle || true
}
