# slurmctld is repeatedly killed when a job has just begun: the job begins again, on nodes that were prepared for it.

# bats file_tags=apart
load helper
load health_helper

NAME=st-forgotten

setup_file() { deploy $NAME --nodes a3mega_nodeset=4; }

teardown_file() { slipway destroy $NAME; }

@test "forgotten: jobs on one to four nodes, eight times" {
  local round
  for round in $(seq 8); do
    begin_and_forget --nodes=$((round % 4 + 1))
    wait_for begins_again || { on $NAME login cat "/home/forgotten-$JOB" && false; }
    [ "$(on $NAME controller sinfo --noheader --states=drain,down --format=%N)" = "" ]
  done
}
