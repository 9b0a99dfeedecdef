# Slurm on machines of a fake Google Cloud follows the blueprint: accounting with a real slurmdbd and MariaDB, scripts around
# jobs, parameters, and the CPUs that machines have.

load helper
load google_helper

C=settings-controller
N=settings-cpunodes-0

setup_file() {
  cloud_start "$TOP/tests/system/settings.yaml"
  machine_start $C $N
  boot $N --deadline 120 >"$SUITE/node.out" 2>&1 3>&- &
  local node=$!
  boot $C --deadline 120 >"$SUITE/controller.out" 2>&1 3>&- || { cat "$SUITE/controller.out" && false; }
  wait $node || { cat "$SUITE/node.out" && false; }
  wait_for node_is_idle $C $N
}

teardown_file() { cloud_stop; }

# job_is ID STATE EXIT_CODE: as sacct reports it
job_is() { machine $C sacct --noheader --parsable2 --allocations --jobs="$1" --format=State,ExitCode | grep -qx "$2|$3"; }

@test "settings: sacct has an ended job, its state and its exit code" {
  run machine $C srun sh -c 'echo "job $SLURM_JOB_ID"; exit 3'
  [ "$status" -eq 3 ]
  local job
  job=$(sed -n 's/^job //p' <<<"$output")
  [ -n "$job" ]
  wait_for job_is "$job" FAILED 3:0
  echo "$job" >"$SUITE/ended-job"
}

@test "settings: the database is with slurmctld's state, without a port, and only slurm can read it and its configuration" {
  run machine $C stat -L -c '%a %U' /etc/slurm/slurmdbd.conf /var/spool/slurmctld/accounting /var/lib/mysql
  says "600 slurm
700 slurm
700 slurm"
  machine $C test /var/spool/slurmctld/accounting/tables -ef /var/lib/mysql/tables
  run machine $C grep ':0CEA ' /proc/net/tcp /proc/net/tcp6
  [ "$output" = "" ]
  run machine $N test -e /etc/slurm/slurmdbd.conf
  [ "$status" -eq 1 ]
}

# export_jobs: what slipway-export.service does, also with jobs that have just ended
export_jobs() { machine $C runuser -u slurm -- /opt/slipway/bin/slipway node export --settle 0; }

# in_bigquery JOB COLUMN...: the columns of the job's row; fails unless it has exactly one
in_bigquery() {
  python3 -c '
import json, sys
[row] = [row for row in map(json.loads, open(sys.argv[1])) if row["job_id"] == sys.argv[2]]
print(*(row[name] for name in sys.argv[3:]), sep="|")' "$CLOUD/bigquery/my-project/settings_job_data/jobs_settings" "$@"
}

@test "settings: ended jobs are loaded into BigQuery, each once, whatever users call them" {
  local job
  job=$(machine $C sbatch --parsable --job-name=$'a|b\n1|2|3' --output=/dev/null --wrap true)
  # slurmdbd may learn the end of a short job before its beginning, and its name.
  has_name() { [[ "$(machine $C sacct --noheader --parsable2 --allocations --jobs="$job" --format=JobName,State)" == 'a|b'*COMPLETED ]]; }
  wait_for has_name
  run export_jobs
  says "loaded 2 finished jobs into BigQuery"
  run in_bigquery "$(cat "$SUITE/ended-job")" state exitcode user partition nodelist cluster_name
  [ "$output" = "FAILED|3:0|root|cpu|$N|settings" ]
  run in_bigquery "$job" job_name state
  echo "$output"
  [ "$output" = $'a|b\n1|2|3|COMPLETED' ]
  run export_jobs
  [ "$output" = "" ]
  in_bigquery "$job" entry_uuid
  [ "$(machine $C stat -c '%a %U' /var/spool/slurmctld/slipway-export)" = "600 slurm" ]
}

@test "settings: root does not write among the files of Slurm" {
  run machine $C /opt/slipway/bin/slipway node export
  fails_with 1 "run this as the user slurm: sudo -u slurm slipway node export"
}

@test "settings: the controller shares /home and /opt/apps with the nodes" {
  run cat "$SUITE/controller.out"
  says "slipway node boot: sharing /home, /opt/apps with the cluster's machines"
  local folder
  for folder in /home /opt/apps; do
    machine $C sh -c "echo 'from the controller' >$folder/file"
    run machine $N cat $folder/file
    says "from the controller"
    machine $N sh -c "echo 'from the node' >$folder/file"
    run machine $C cat $folder/file
    says "from the node"
  done
  run machine $C cat /etc/exports.d/slipway.exports
  says "/opt/apps *(rw,sync,no_subtree_check,no_root_squash)"
}

scripts_log() { machine $N cat /var/log/slurm/scripts.log; }

@test "settings: the blueprint's scripts run around a job, and a task gets their variables" {
  run machine $C srun sh -c 'echo "job $SLURM_JOB_ID $SITE"'
  local job
  job=$(sed -n 's/^job \([0-9]*\) here$/\1/p' <<<"$output")
  [ -n "$job" ]
  epilog_ran() { scripts_log | grep -qx "epilog $job"; }
  wait_for epilog_ran
  [ "$(scripts_log | grep -c " $job\$")" = 2 ]
  run scripts_log
  says "prolog $job"
}

@test "settings: only root can change the scripts, and the controller has none" {
  [ "$(machine $N stat -c '%a %U' /etc/slurm/scripts/prolog.d/000-first.sh)" = "755 root" ]
  run machine $C test -e /etc/slurm/scripts
  [ "$status" -eq 1 ]
}

@test "settings: Slurm uses the blueprint's parameters, and starts nodes though no partition suspends them" {
  run machine $C scontrol show config
  [[ "$output" == *"SchedulerParameters     = bf_continue,nohold_on_prolog_fail"* ]]
  [[ "$output" == *"SuspendTime             = 300 sec"* ]]
}

@test "settings: a node has one thread for each core, as its instance template says" {
  run machine $C scontrol show node $N
  [[ "$output" == *"CPUTot=2 "* && "$output" == *" ThreadsPerCore=1 "* ]]
}

@test "settings: a second boot keeps the database and its history" {
  local before
  before=$(machine $C pgrep 'mariadbd|slurmdbd')
  boot $C --deadline 30
  [ "$(machine $C pgrep 'mariadbd|slurmdbd')" = "$before" ]
  job_is "$(cat "$SUITE/ended-job")" FAILED 3:0
}

# on_node, on_controller: what their timers run
on_node() { machine $N /opt/slipway/bin/slipway node follow 2>&1 | sed 's/^20[^ ]* //'; }
on_controller() { machine $C /opt/slipway/bin/slipway node reconcile 2>&1 | sed 's/^20[^ ]* //'; }

# a_job: submits one that takes long, waits until it runs, and prints its number
a_job() {
  local job
  job=$(machine $C sbatch --parsable --chdir=/tmp --output=/dev/null --wrap "sleep 1000")
  wait_for job_runs "$job"
  echo "$job"
}
job_runs() { machine $C squeue --noheader --jobs="$1" --format=%T | grep -qx RUNNING; }
slurmd_pid() { machine $N cat /run/slurmd.pid; }

@test "settings: a node takes a changed configuration once slurmctld uses it, and its job runs on" {
  local job
  run on_node
  [ "$output" = "" ]
  job=$(a_job)
  new_setting MaxArraySize 777
  run on_node
  says "a new configuration waits until slurmctld uses it"
  machine $N grep -q MaxArraySize=777 /etc/slurm/slurm.conf && false
  run on_node # said once
  [ "$output" = "" ]
  run on_controller
  says "slurmctld uses a new configuration"
  run on_node
  says "uses a new configuration"
  machine $N scontrol show config | grep -qx 'HASH_VAL *= Match'
  run on_node
  [ "$output" = "" ]
  job_runs "$job"
  machine $C scancel "$job"
  wait_for node_is_idle $C $N
}

@test "settings: slurmd is restarted for what it reads at its start, but not under jobs that depend on it" {
  local job before
  job=$(a_job)
  before=$(slurmd_pid)
  new_setting MpiDefault none
  on_controller
  run on_node
  says "restarted slurmd with a new configuration: mpidefault changed"
  [ "$(slurmd_pid)" != "$before" ]
  job_runs "$job"
  new_setting ProctrackType proctrack/pgid
  on_controller
  before=$(slurmd_pid)
  run on_node
  says "proctracktype changed: a new configuration waits until this node is free of jobs"
  [ "$(slurmd_pid)" = "$before" ]
  machine $C scancel "$job"
  wait_for node_is_idle $C $N
  has_taken_it() { on_node | grep -qx "restarted slurmd with a new configuration: proctracktype changed"; }
  wait_for has_taken_it
  machine $C srun true
}

@test "settings: a node uses changed scripts around jobs at once" {
  printf '#!/bin/sh\necho "second $SLURM_JOB_ID" >>/var/log/slurm/scripts.log\n' | new_file scripts/prolog.d/001-second.sh
  run on_node
  says "uses new scripts around jobs"
  run machine $C srun sh -c 'echo "job $SLURM_JOB_ID"'
  wait_for machine $N grep -qx "second $(sed -n 's/^job //p' <<<"$output")" /var/log/slurm/scripts.log
}

@test "settings: what the whole cluster has to change at once stays, and the node says so" {
  new_setting CredType cred/none
  run on_node
  says "credtype changed, which only a new start of the whole cluster can do: the old configuration stays"
  machine $N grep -q cred/none /etc/slurm/slurm.conf && false
  new_setting CredType cred/munge
}

@test "settings: Slurm's topology follows the places of the machines" {
  run machine $C scontrol show topology
  [[ "$output" == *"SwitchName=cpunodes "* ]]
  machine $C sh -c "mkdir -p /var/lib/slipway && echo '{\"$N\": \"/block/rack/host\"}' >/var/lib/slipway/physical-hosts.json"
  machine $C /opt/slipway/bin/slipway node reconcile
  run machine $C scontrol show topology
  [[ "$output" == *"SwitchName=block.rack "*"Nodes=$N"* ]]
  machine $C srun true
  run machine $C /opt/slipway/bin/slipway node reconcile
  [[ "$output" != *topology* ]]
}

# serves_metrics MACHINE: on its address of the cluster's network
serves_metrics() { machine "$1" sh -c 'curl -sS "http://$(hostname -I | cut -d" " -f1):9817/metrics"' | grep -q '^slipway_node_'; }

@test "settings: every machine serves its metrics, and the controller gets Prometheus when the blueprint asks for it" {
  wait_for serves_metrics $C
  wait_for serves_metrics $N
  run on_controller
  lacks "monitoring"
  new_value monitoring prometheus
  run on_controller
  says 'monitoring is now `prometheus`'
  run on_node
  says 'monitoring is now `prometheus`'
  have_been_scraped() { [ "$(scraped_by $C)" = "$C $N" ]; }
  wait_for have_been_scraped
  run machine $C ps --no-headers -C prometheus -o user
  [ "$output" = promethe+ ] || [ "$output" = prometheus ]
  machine $C /opt/slipway/bin/slipway metrics page >"$BATS_TEST_TMPDIR/page.html"
  grep -q "$N" "$BATS_TEST_TMPDIR/page.html"
  run on_controller
  lacks "monitoring"
}
