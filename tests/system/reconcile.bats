# The reconciler on the controller of a fake Google Cloud, with a real slurmctld and real nodes: whatever happens to the
# machines, Slurm and the cloud agree again. The tests run it by hand, without waiting for its timer.

# bats file_tags=long
load helper
load google_helper

C=reconcile-controller
N=reconcile-steady
S=reconcile-spot-0

setup_file() {
  cloud_start "$TOP/tests/system/reconcile.yaml"
  as_tester touch "$CLOUD/machines-boot"
  machine_start $C
  machine $C touch /etc/slipway/reconcile-by-hand # before it boots: no run of its own gets in the way
  wait_for slurm_answers
}

teardown_file() { cloud_stop; }

slurm_answers() { machine $C sinfo --noheader --format=%D >/dev/null 2>&1; }

# reconcile [option...]: one run, which waits for no grace, and its steps without their times
reconcile() { machine $C /opt/slipway/bin/slipway node reconcile --grace 0 "$@" 2>&1 | sed 's/^20[^ ]* //'; }

# until_after_runs COMMAND...: runs the reconciler until the command succeeds
until_after_runs() { wait_for run_and_see "$@"; }
run_and_see() {
  reconcile >>"$SUITE/steps" || true
  "$@"
}

# node_is NAME STATE: according to sinfo
node_is() { machine $C sinfo --noheader --Node --format='%N %T' 2>/dev/null | grep -q "^$1 $2$"; }

all_idle() { node_is $N-0 idle && node_is $N-1 idle && node_is $S idle; }

# What others do to a machine.
is_deleted() { as_tester rm "$CLOUD/instances/$1.json" && wait_for test ! -e "$CLOUD/up/$1"; }
is_stopped() { as_tester sed -i 's/"metadata"/"status": "TERMINATED", "metadata"/' "$CLOUD/instances/$1.json"; }

# made_by_someone_else NAME: a machine of the nodeset that is in the name
made_by_someone_else() {
  cloud_control from-template "$1" "$(cut -d- -f2 <<<"$1")"
  wait_for test -e "$CLOUD/up/$1"
}

# sleeps_on NODE SECONDS: submits a job, waits until it runs, and prints its number
sleeps_on() {
  local job
  job=$(machine $C sbatch --parsable --chdir=/tmp --output=/dev/null --nodelist="$1" --wrap "sleep $2")
  wait_for job_has "$job" JobState=RUNNING
  echo "$job"
}

# job_has NUMBER WORD: in what Slurm says about it
job_has() { machine $C scontrol show job "$1" | grep -qw "$2"; }

@test "reconcile: static nodes get their machines" {
  until_after_runs all_idle
  machines_are $C $N-0 $N-1 $S
}

# lists: how many times the machines were listed; the cloud's stand-in has small pages
lists() { as_tester grep "aggregated/instances" "$CLOUD/log" | grep -vc pageToken; }

@test "reconcile: a quiet cluster gives no step, and one request for its machines" {
  local before
  before=$(lists)
  run reconcile
  says ""
  [ "$(lists)" -eq $((before + 1)) ]
}

@test "reconcile: a dry run says the steps and takes none" {
  is_stopped $S
  run reconcile --dry-run
  says "set down $S: its machine was preempted
power down $S: its machine was preempted"
  node_is $S idle
  until_after_runs node_is $S idle
}

@test "reconcile: a preempted static Spot node comes back, and its job runs again" {
  local job
  until_after_runs all_idle
  job=$(sleeps_on $S 1000)
  is_stopped $S
  run reconcile
  says "set down $S: its machine was preempted
power down $S: its machine was preempted"
  wait_for job_has "$job" Restarts=1
  machine $C scontrol update jobid="$job" starttime=now  # Slurm would wait for two minutes
  until_after_runs job_has "$job" JobState=RUNNING
  machine $C scancel "$job"
  until_after_runs all_idle
}

@test "reconcile: a node whose machine was deleted comes back" {
  is_deleted $N-1
  run reconcile
  says "set down $N-1: its machine is gone
power down $N-1: its machine is gone"
  until_after_runs all_idle
  machines_are $C $N-0 $N-1 $S
}

@test "reconcile: a node that a person has drained stays so, with its machine" {
  machine $C scontrol update nodename=$N-0 state=drain reason="broken cable"
  is_stopped $N-0
  run reconcile
  says ""
  as_tester sed -i 's/"status": "TERMINATED"/"status": "RUNNING"/' "$CLOUD/instances/$N-0.json"
  machine $C scontrol update nodename=$N-0 state=resume
  wait_for all_idle
}

@test "reconcile: a node that Slurm drained for a job that it started twice is used again" {
  machine $C scontrol update nodename=$N-0 state=drain reason="Duplicate jobid"
  until_after_runs node_is $N-0 idle
  tail -n 5 "$SUITE/steps" | grep "resume $N-0: the job that Slurm started twice has ended"
}

@test "reconcile: a machine that no node wants goes" {
  made_by_someone_else $N-7
  until_after_runs machines_are $C $N-0 $N-1 $S
}

@test "reconcile: a node that never registered is used again" {
  machine $C scontrol update nodename=$N-2 state=down reason="ResumeTimeout reached"
  node_is $N-2 'down~'
  run reconcile
  says "make $N-2 available: it can be started again"
  node_is $N-2 'idle~'
}

# new_template: the nodeset steady gets another one, as after a deploy
new_template() {
  local link
  link=$(cloud_control copy-template steady)
  as_tester python3 -B - "$CLOUD" "$link" <<'PYTHON'
import json, pathlib, sys
[file] = pathlib.Path(sys.argv[1]).glob("buckets/*/*/cluster.json")
cluster = json.loads(file.read_text())
cluster["nodesets"]["steady"]["template"] = sys.argv[2]
file.write_text(json.dumps(cluster))
PYTHON
}

inode_of() { as_tester stat -c %i "$CLOUD/instances/$1.json"; }
has_other_machine() { [ -e "$CLOUD/instances/$1.json" ] && [ "$(inode_of "$1")" != "$2" ]; }

# bats test_tags=thorough
@test "reconcile: a changed template gives one static node after the other a new machine, and no job ends early" {
  local job zero one
  until_after_runs all_idle
  job=$(sleeps_on $N-0 10)
  zero=$(inode_of $N-0)
  one=$(inode_of $N-1)
  sleep 1.1  # machines and templates have times in seconds
  new_template
  run reconcile
  says "power down $N-1 when its jobs have ended: replaced, its template has changed"
  lacks "$N-0"
  until_after_runs has_other_machine $N-1 "$one"
  until_after_runs has_other_machine $N-0 "$zero"
  until_after_runs all_idle
  run machine $C scontrol show job "$job"
  [[ "$output" == *JobState=COMPLETED*Restarts=0* ]]
  run reconcile
  says ""
}

@test "reconcile: a node is reserved for announced maintenance, drained while it happens, and comes back" {
  cloud_control maintenance $N-0 86400
  run reconcile
  says "create reservation $N-0_maintenance_"
  run machine $C scontrol --oneliner show reservation
  says " Nodes=$N-0 "
  [[ "$output" == *Flags=*MAINT* ]]
  run reconcile
  says ""
  cloud_control maintenance $N-0 -10
  run reconcile
  says "drain $N-0: host maintenance until"
  [[ "$output" == *"delete reservation $N-0_maintenance_"*": its maintenance is over or moved"* ]]
  node_is $N-0 drained
  run reconcile
  says ""
  cloud_control maintained $N-0
  run reconcile
  says "resume $N-0: the maintenance of its host is over"
  wait_for node_is $N-0 idle
}

# bats test_tags=thorough
@test "reconcile: maintenance begins early on an idle node, but not under a job" {
  local job
  until_after_runs node_is $S idle
  job=$(sleeps_on $S 1000)
  cloud_control maintenance $S 86400
  run reconcile
  says ""
  job_has "$job" JobState=RUNNING
  machine $C scancel "$job"
  wait_for node_is $S idle
  run reconcile
  says "drain $S: host maintenance, early because it was idle"
  [[ "$output" == *"start the maintenance of the host of $S: the node is idle"* ]]
  until_after_runs node_is $S idle
  run reconcile
  says ""
}

@test "reconcile: slurmctld takes a changed configuration while a job runs" {
  local job
  job=$(sleeps_on $N-0 1000)
  new_setting MaxArraySize 777
  run reconcile
  says "slurmctld uses a new configuration"
  machine $C scontrol show config | grep -q "MaxArraySize *= 777"
  new_setting MaxJobCount 7777
  run reconcile
  says "restarted slurmctld with a new configuration: maxjobcount changed"
  wait_for slurm_answers
  machine $C scontrol show config | grep -q "MaxJobCount *= 7777"
  job_has "$job" JobState=RUNNING
  machine $C scancel "$job"
}

# bats test_tags=thorough
@test "reconcile: a configuration that slurmctld refuses is put back, and said once" {
  new_setting SelectType select/none_such
  run reconcile
  [[ "$output" == *"slurmctld keeps its configuration"* ]] || { echo "$output" && false; }
  wait_for slurm_answers
  machine $C grep -q none_such /etc/slurm/slurm.conf && false
  run reconcile
  says "slurmctld runs with an older configuration"
  run reconcile
  says ""
}
