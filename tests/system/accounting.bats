# Job accounting: a real slurmdbd with a real MariaDB, on the controller.

load helper

NAME=st-acct

setup_file() { deploy st-acct --accounting; }

teardown_file() { destroy_all st-acct; }

# job_is ID STATE EXIT_CODE: as sacct reports it
job_is() { on $NAME login sacct --noheader --parsable2 --allocations --jobs="$1" --format=State,ExitCode | grep -qx "$2|$3"; }

@test "accounting: sacct shows an ended job with its state, exit code and its whole node's GPUs" {
  run on $NAME login srun --gpus=2 sh -c 'echo "job $SLURM_JOB_ID"; exit 3'
  [ "$status" -eq 3 ]
  local job
  job=$(sed -n 's/^job //p' <<<"$output")
  wait_for job_is "$job" FAILED 3:0
  echo "$job" >"$SUITE/accounting-job"
  run on $NAME login sacct --noheader --parsable2 --allocations --jobs="$job" --format=AllocTRES
  says "gres/gpu=8"
}

@test "accounting: sacctmgr shows the cluster, and a new account and user" {
  run on $NAME login sacctmgr --noheader --parsable2 show cluster format=Cluster,ControlHost,ControlPort
  says "stacct|10."
  says "|6817"
  on $NAME login sacctmgr --immediate add account research
  on $NAME login sacctmgr --immediate add user nobody account=research
  run on $NAME login sacctmgr --noheader --parsable2 show associations format=Cluster,Account,User
  says "stacct|research|nobody"
}

# value EXPRESSION: of the report of the last day, which is in `report`
value() { python3 -c 'import json, sys; report = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$BATS_TEST_TMPDIR/report.json" "$1"; }
# The jobs of a day, and that a node was out of service, as Slurm's accounting has them.
reports() {
  on $NAME login slipway report --since 1d --json >"$BATS_TEST_TMPDIR/report.json"
  [ "$(value "$1")" = True ]
}

@test "accounting: slipway report adds up what sacct and sacctmgr have" {
  local node job hours
  node=$(compute_nodes $NAME | tail -1)
  job=$(on $NAME login sbatch --parsable --nodes=2 --output=/dev/null --wrap 'sleep 4')
  wait_for job_is "$job" COMPLETED 0:0
  on $NAME controller scontrol update "nodename=$node" state=down "reason=fan 3 | broken"
  sleep 2
  # With ReturnToService=2, it is back already if its slurmd has registered meanwhile; then there is nothing to resume.
  on $NAME controller scontrol update "nodename=$node" state=resume ||
    [ "$(on $NAME controller sinfo --noheader --nodes="$node" --format=%T)" = idle ]
  wait_for reports "any(node['node'] == '$node' and node['events'] >= 1 for node in report['nodes'])"
  python3 "$TOP/tests/schemas/validate.py" "$TOP/docs/schemas/report-1.schema.json" "$BATS_TEST_TMPDIR/report.json"
  [ "$(value "[node['reason'] for node in report['nodes'] if node['node'] == '$node']")" = "['fan 3 | broken']" ]
  # The user's GPU-hours are those that sacct has: whole nodes with eight GPUs.
  hours=$(on $NAME login sacct --allusers --noheader --parsable2 --allocations --format=AllocTRES,ElapsedRaw |
    python3 -c 'import re, sys
print(sum(int(re.search(r"gres/gpu=(\d+)", line).group(1)) * int(line.rsplit("|", 1)[1]) for line in sys.stdin if "gres/gpu=" in line) / 3600)')
  [ "$(value "abs(sum(user['gpu_hours'] for user in report['users'] if user['name'] == 'root') - $hours) < 1e-6 and $hours > 0")" = True ]
  [ "$(value "report['gpus'] > 0 and report['idle_gpu_hours'] > 0")" = True ]
  run on $NAME login slipway report --since 12h
  says root
  says "$node"
}

# controller COMMAND: runs a shell command there
controller() { on $NAME controller sh -c "$1"; }

@test "accounting: the database has no port and no password, and only slurm can read its files" {
  run controller 'grep -c ":0CEA " /proc/net/tcp /proc/net/tcp6'
  [[ "$output" != *:[1-9]* ]]
  run controller 'stat -L -c "%a %U" /etc/slurm/slurmdbd.conf /var/lib/mysql; grep -c -i pass /etc/slurm/slurmdbd.conf'
  [ "$output" = "600 slurm
700 slurm
0" ]
  run on $NAME login test -e /etc/slurm/slurmdbd.conf
  [ "$status" -eq 1 ]
}

# Three kinds of lines are expected. slurmdbd recommends gigabytes for its database, but for sites with thousands of jobs
# a day. It contacts slurmctld as soon as slurmctld has registered, which is before it listens. And 24.11 looks for the
# coordinators of a new cluster's first account before it has read that back.
@test "accounting: the daemons log no errors except about a small database and a slurmctld that does not listen yet" {
  run controller 'grep -hE "error|fatal|ERROR" /var/log/slurm/slurmdbd.log /var/log/slurm/mariadbd.log |
    grep -vE "Database settings not recommended values|update cluster: Connection refused|We can.t find assoc 1 on cluster"'
  [ "$output" = "" ] || { echo "$output" && false; }
}

@test "accounting: a blueprint that names a database has accounting without the option" {
  sed "\$a\\      cloudsql: {server_ip: 10.1.0.2, user: slurm, password: x, db_name: slurm}" \
    "$BLUEPRINT" >"$SUITE/cloudsql.yaml"
  run slipway model "$SUITE/cloudsql.yaml"
  says '"accounting": true'
  run slipway model "$BLUEPRINT"
  [[ "$output" != *accounting* ]]
}

@test "accounting: a missing program is named with its package before anything starts" {
  run as_root_in_own_mounts "mount --bind /dev/null /usr/sbin/mariadbd" "$BLUEPRINT" --vars deployment_name=st-acct-none --accounting
  fails_with 1 "this machine lacks /usr/sbin/mariadbd; as root: apt-get install mariadb-server-core"
}

@test "accounting: a deploy that gives up names the nodes that did not start, and shows what the first wrote last" {
  printf '#!/bin/sh\nwhile echo "error: no database today"; do sleep 1; done\n' >"$BATS_TEST_TMPDIR/slurmdbd"
  chmod a+rx "$BATS_TEST_TMPDIR/slurmdbd"
  local mounts="mount --bind '$BATS_TEST_TMPDIR/slurmdbd' /usr/sbin/slurmdbd"
  [ "$(id -u)" -eq 0 ] || mounts+=" && mount -t tmpfs tmpfs /var/lib" # where a user who is mapped to root may not write
  run as_root_in_own_mounts "$mounts" "$BLUEPRINT" --vars deployment_name=st-acct-wait --accounting --timeout 5
  fails_with 1 "waited 5 s for the nodes to start; not up: stacctwait-controller"
  # On a busy machine, its database may not be up yet.
  grep -qE "; last line of stacctwait-controller's (slurmdbd.out: error: no database today|mariadbd.log: .)" <<<"$output"
}

# comes_back DAEMON: after it is killed
comes_back() {
  local before
  before=$(controller "pgrep -x $1")
  controller "kill -KILL $before"
  wait_for controller "pgrep -x $1 | grep -vx $before >/dev/null"
}

@test "accounting: a running job and the history outlive killed daemons of the controller" {
  # Slurm 26.05 does not start with saved jobs and without saved usage, which it saves at its end and every five minutes.
  controller '/opt/slipway/bin/slipway node restart slurmctld'
  local job pid
  job=$(on $NAME login sbatch --parsable --job-name=long --output=/dev/null --wrap 'sleep 300')
  wait_for job_is "$job" RUNNING 0:0
  wait_for pgrep -x -f 'sleep 300' # Slurm says that a job runs before its shell has started anything
  pid=$(pgrep -x -f 'sleep 300')
  write_down "$job"
  local daemon
  for daemon in mariadbd slurmdbd slurmctld; do comes_back $daemon; done
  wait_for job_is "$(cat "$SUITE/accounting-job")" FAILED 3:0
  wait_for job_is "$job" RUNNING 0:0
  [ "$(pgrep -x -f 'sleep 300')" = "$pid" ]
  on $NAME login scancel "$job"
  wait_for job_is "$job" "CANCELLED by 0" 0:0
}

@test "accounting: a daemon comes back at once after a restart request, and stays away after a request to end" {
  local before
  before=$(controller 'pgrep -x slurmctld')
  controller '/opt/slipway/bin/slipway node restart slurmctld'
  [ "$(controller 'pgrep -x slurmctld')" != "$before" ]
  on $NAME login scontrol ping
  controller 'mkdir -p /run/slipway/held; touch /run/slipway/held/slurmdbd; pkill -KILL -x slurmdbd'
  wait_for grep -q 'slurmdbd failed (signal 9)' "$(deployments_folder)/$NAME/log/stacct-controller/init.log"
  sleep 1.5
  run controller 'pgrep -x slurmdbd'
  [ "$status" -eq 1 ]
  controller 'rm /run/slipway/held/slurmdbd; kill -HUP 1'
  wait_for controller 'sacctmgr --noheader show cluster' # it takes a moment from its start to its first answer
}

# import_history OPTION...: on the controller of the new cluster
import_history() { on st-acct-new controller slipway node import-history /root/history.sql "$@"; }

# jobs_of DEPLOYMENT: all in its history
jobs_of() { on "$1" login sacct --allusers --duplicates --allocations --noheader --parsable2 --starttime=1970-01-01 --format=JobID,JobName,State,Submit; }

@test "accounting: the history of another cluster is taken over, under the name of this one" {
  local dump=$BATS_TEST_TMPDIR/history.sql jobs
  jobs=$(jobs_of $NAME)
  [ "$(wc -l <<<"$jobs")" -ge 2 ]
  on $NAME controller setpriv --reuid=slurm --regid=slurm --clear-groups \
    mariadb-dump --socket=/run/mysqld/mysqld.sock --single-transaction slurm_acct_db >"$dump"
  deploy st-acct-new --accounting --nodes a3mega_nodeset=1
  # What is not a whole dump changes nothing.
  head --lines=-5 "$dump" | on st-acct-new controller sh -c 'cat >/root/history.sql'
  run import_history
  fails_with 1 "/root/history.sql: it is cut off"
  # Nor does what the database refuses.
  sed 's/^INSERT INTO `user_table`.*/INSERT INTO `wrong`/' "$dump" | on st-acct-new controller sh -c 'cat >/root/history.sql'
  run import_history
  fails_with 1 "the database does not take it: ERROR: 1064"
  fails_with 1 "the history is as before"
  [ "$(jobs_of st-acct-new)" = "" ]
  on st-acct-new controller sh -c 'cat >/root/history.sql' <"$dump"
  run import_history
  says "$(wc -l <<<"$jobs") jobs of \`stacct\`; the highest number is"
  diff <(echo "$jobs") <(jobs_of st-acct-new) || { on st-acct-new controller tail -n 5 /var/log/slurm/slurmdbd.log /var/log/slurm/slurmctld.log; false; }
  on st-acct-new login srun --quiet --job-name=own true
  has_own() { [[ "$(jobs_of st-acct-new)" == *"|own|COMPLETED|"* ]]; }
  wait_for has_own
  run on st-acct-new login sacctmgr --noheader --parsable2 show cluster format=Cluster
  [ "$output" = stacctnew ]
  # What it has itself by now is not lost by chance.
  run import_history
  fails_with 1 "the history of \`stacctnew\` has $(($(wc -l <<<"$jobs") + 1)) jobs already, which would be lost"
  import_history --replace
  [ "$(jobs_of st-acct-new)" = "$jobs" ]
}
