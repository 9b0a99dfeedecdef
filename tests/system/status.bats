# The output of `slipway status` when something in the cluster does not answer: it waits for nobody, and says nothing false.

load helper

NAME=st-status
N=ststatus-a3meganodeset-0

setup_file() {
  deploy st-status --nodes a3mega_nodeset=1
  on st-status login sbatch --job-name=long --output=/dev/null --wrap 'exec sleep 4321'
  wait_for pgrep -x -f 'sleep 4321'
  write_down 1
}

teardown_file() { slipway destroy st-status; }

# The cluster is whole again.
teardown() {
  on $NAME controller pkill -CONT -x slurmctld || true
  slipway fault $NAME controller clear
  wait_for node_is $N allocated
}

# status_says [option...]: its output is in OUTPUT. On an idle machine it takes less than a second; who waited for what does
# not answer would wait for longer than this.
status_says() { run as_tester timeout 60 "$SUITE/prefix/bin/slipway" status $NAME "$@"; }

@test "status: a slurmctld that is not running: since when, and how it ended; jobs are unknown, not zero" {
  slipway fault $NAME controller daemon-killed slurmctld
  status_says
  says "jobs unknown: slurmctld has not answered since 20"
  says ": slurmctld is not running (signal 9)"
  lacks 'no job'
  grep -qE "^$N .* on +unknown" <<<"$output"
  local first=$output
  sleep 1.1
  status_says
  [ "$(grep -o 'since [^:]*:..:..Z' <<<"$output")" = "$(grep -o 'since [^:]*:..:..Z' <<<"$first")" ]

  status_says --json
  python3 "$TOP/tests/schemas/validate.py" "$TOP/docs/schemas/status-1.schema.json" - <<<"$output"
  says '"jobs": null'
  says '"answers": false'

  as_tester timeout 60 "$SUITE/prefix/bin/slipway" status $NAME --watch --interval 0.3 | grep -m 1 'jobs unknown'
}

@test "status: a slurmctld that is stopped is running but does not answer" {
  on $NAME controller pkill -STOP -x slurmctld
  status_says
  says "jobs unknown: slurmctld has not answered since 20"
  says "it is running but did not answer within 700 ms"
  local first=$output
  sleep 1.1
  status_says
  [ "$(grep -o 'since [^:]*:..:..Z' <<<"$output")" = "$(grep -o 'since [^:]*:..:..Z' <<<"$first")" ]
}

@test "status: without munge on the controller" {
  slipway fault $NAME controller daemon-killed munged
  status_says
  says "munged is not running (signal 9)"
  lacks 'no job'
}

@test "status: a controller that hangs" {
  slipway fault $NAME controller hang
  status_says
  says "jobs unknown: slurmctld has not answered since 20"
}

@test "status: a supervisor that is stopped" {
  local supervisor
  supervisor=$(supervisor_of $NAME)
  kill -STOP "$supervisor"
  status_says
  kill -CONT "$supervisor"
  fails_with 1 "deployment $NAME: silent: its supervisor does not answer; it may be stopped"
  lacks 'no job'
}

@test "status: a cluster whose Slurm answers has its jobs" {
  # A busy machine may be slow to answer.
  has_jobs() { status_says && [[ "$output" == *"1 job"* ]]; }
  wait_for has_jobs
  says "long RUNNING on 1 node: $N"
}

@test "status: why a node is out of service" {
  on $NAME controller scontrol update NodeName=$N State=DRAIN Reason="a new cable"
  run slipway status $NAME
  on $NAME controller scontrol update NodeName=$N State=RESUME
  says "$N: reason: a new cable"
}

@test "status: a job's name adds no job and no command for the terminal" {
  local job
  job=$(on $NAME login sbatch --parsable --output=/dev/null --job-name=$'a\e[2J|b\n7|RUNNING|100|none|forged' --wrap true)
  status_says
  on $NAME login scancel "$job"
  says "2 jobs"
  says "$job a?[2J|b"
  lacks "forged"
  lacks $'\e'
}
