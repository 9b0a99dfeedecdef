# Two controllers on machines of a fake Google Cloud, with real daemons: one slurmctld takes over from the other while a
# job runs, and the history of jobs is in a MariaDB on a third machine, with a password.

# bats file_tags=long,thorough
load helper
load google_helper

C=two-controller
B=two-controller-backup
N=two-cpunodes-0
L=two-login-001
PASSWORD='p#a\ss w=1'

# The database as Cloud SQL has it: a port, and a user with a password.
database_start() {
  machine $L sh -ec '
    mkdir -p /var/lib/mysql /run/mysqld
    chown slurm /var/lib/mysql /run/mysqld
    cd /usr/share/mariadb 2>/dev/null || cd /usr/share/mysql # MariaDB 11 has other names
    { printf "create database mysql;\nuse mysql;\nset @auth_root_socket = null;\n"
      cat m*_system_tables.sql m*_performance_tables.sql m*_system_tables_data.sql
    } | mariadbd --no-defaults --user=slurm --datadir=/var/lib/mysql --innodb-use-native-aio=0 --bootstrap --log-warnings=0
    cat >/run/mysqld/first.sql
    setsid mariadbd --no-defaults --user=slurm --datadir=/var/lib/mysql --innodb-use-native-aio=0 --port=3307 \
      --socket=/run/mysqld/database.sock --init-file=/run/mysqld/first.sql >/run/mysqld/log 2>&1 </dev/null 3>&- &' <<SQL
create database if not exists jobs;
create user if not exists accounts@'%' identified by '${PASSWORD//\\/\\\\}';
grant all on jobs.* to accounts@'%';
SQL
  wait_for machine $L grep -q 'ready for connections' /run/mysqld/log
}

setup_file() {
  cloud_start "$TOP/tests/system/two_controllers.yaml"
  machine_start $C $B $N $L
  database_start
  new_setting SlurmctldTimeout 10 # a takeover in less time than on a real cluster
  boot $N --deadline 120 >"$SUITE/$N.out" 2>&1 3>&- &
  # One after the other: slurmdbd fails if another one makes the tables at the same time, and slipway-node.service
  # tries again.
  boot $C --deadline 120 >"$SUITE/$C.out" 2>&1
  boot $B --deadline 120 >"$SUITE/$B.out" 2>&1 || { cat "$SUITE/$B.out" && false; }
  wait_for node_is_idle $C $N || { tail "$SUITE"/two-*.out && false; }
}

teardown_file() { cloud_stop; }

# in_control HOST: who is, as the node sees it
in_control() { machine $N scontrol ping 2>/dev/null | grep ' is UP$' | head -n 1 | grep -q " at $1 is"; }

# job_is ID STATE: as sacct reports it on the node
job_is() { machine $N sacct --noheader --parsable2 --allocations --jobs="$1" --format=State | grep -qx "$2"; }
job_runs() { machine $N squeue --noheader --jobs="$1" --format=%T | grep -qx RUNNING; }

@test "two controllers: the first is in control, the second waits, and both have one state that only slurm can read" {
  run machine $N scontrol ping
  says "Slurmctld(primary) at $C is UP
Slurmctld(backup) at $B is UP"
  machine $C touch /var/spool/slurm/slurmctld/seen-by-both
  machine $B test -e /var/spool/slurm/slurmctld/seen-by-both
  [ "$(machine $B stat -c '%a %U' /var/spool/slurm/slurmctld)" = "700 slurm" ]
}

@test "two controllers: the password of the database is in one file, which only slurm can read" {
  [ "$(machine $C stat -L -c '%a %U' /etc/slurm/slurmdbd.conf)" = "600 slurm" ]
  machine $C grep -q '^StorageHost="two-login-001"$' /etc/slurm/slurmdbd.conf
  run machine $C grep -rlF 'ss w=1' /etc /run/slurm /var/log/slurm /var/lib/slipway
  [ "$output" = "/run/slurm/slurmdbd.conf" ]
  run machine $N grep -rlF 'ss w=1' /etc /run /var/log
  [ "$output" = "" ]
  [ -z "$(machine $C pgrep mariadbd)" ]
}

@test "two controllers: only the one in control reconciles" {
  run machine $B /opt/slipway/bin/slipway node reconcile --dry-run
  says "this controller is not in control"
  run machine $C /opt/slipway/bin/slipway node reconcile --dry-run
  [ "$output" = "" ]
}

@test "two controllers: the second follows a changed configuration of the first" {
  new_setting MaxArraySize 777
  machine $C /opt/slipway/bin/slipway node reconcile
  run machine $B /opt/slipway/bin/slipway node reconcile
  says "uses a new configuration"
  machine $B grep -qx MaxArraySize=777 /etc/slurm/slurm.conf
  wait_for in_control $C
}

@test "two controllers: the second takes over while a job runs, and gives control back" {
  local job other
  job=$(machine $N sbatch --parsable --job-name=outlives --chdir=/tmp --output=/dev/null --wrap "sleep 1000")
  wait_for job_runs "$job"
  # Slurm saves its state every few seconds; what came later is lost with a controller.
  wait_for machine $C grep -aq outlives /var/spool/slurm/slurmctld/job_state
  cloud_control status $C TERMINATED
  wait_for in_control $B
  wait_for job_runs "$job"
  run machine $B /opt/slipway/bin/slipway node reconcile --dry-run
  lacks "not in control"
  other=$(machine $N sbatch --parsable --chdir=/tmp --output=/dev/null --oversubscribe --wrap "sleep 1")
  machine $N scancel "$job"
  wait_for job_is "$job" 'CANCELLED by 0'
  wait_for job_is "$other" COMPLETED
  cloud_control status $C RUNNING
  wait_for test -e "$CLOUD/up/$C"
  boot $C --deadline 120
  wait_for in_control $C
  machine $N srun true
  run machine $B /opt/slipway/bin/slipway node reconcile --dry-run
  says "this controller is not in control"
}
