# How much processor time it takes to watch ranks from outside: what the agents of a job use in a minute, with and without.
# The figures are printed.

# bats file_tags=apart
load helper

NAME=st-measure-watch
N=stmeasurew-a3meganodeset
RANKS=8
SECONDS_EACH=60

setup_file() { deploy $NAME --nodes a3mega_nodeset=2; }
teardown_file() { slipway destroy $NAME; }

# ticks NODE: of the agent and of its children that have ended, in clock ticks
ticks() {
  on $NAME "$1" sh -c 'for pid in $(pgrep -f "launch --agent$"); do cut -d" " -f14-17 "/proc/$pid/stat"; done' |
    awk '{ sum += $1 + $2 + $3 + $4 } END { print sum + 0 }'
}
runs() { [ "$(on $NAME $N-1 pgrep -fcx "sleep 3600")" -eq $RANKS ]; }

@test "measure: the cost of watching ranks" {
  local hang job before each
  for hang in 0 600 0 600; do
    on $NAME login sh -c 'cat >/home/watch.sbatch' <<END
#!/bin/bash
#SBATCH --nodes=2 --exclusive --no-kill --gres=gpu:8 --output=/home/watch.out --chdir=/home
/opt/slipway/bin/slipway launch --ntasks-per-node $RANKS --hang $hang -- sleep 3600
END
    job=$(on $NAME login sbatch --parsable /home/watch.sbatch)
    wait_for runs
    before=$(ticks $N-1)
    sleep $SECONDS_EACH
    each=$((100000 * ($(ticks $N-1) - before) / $(getconf CLK_TCK) / SECONDS_EACH / RANKS))
    echo "# --hang $hang: $((each / 1000)).$(printf %03d $((each % 1000))) % of a core for each of $RANKS ranks" >&3
    on $NAME login scancel "$job"
  done
}
