# Shared by tests of `slipway launch` on a cluster of five nodes: NAME is the deployment, N the beginning of
# its nodes' names.

load health_helper

setup_file() {
  deploy "$NAME" --nodes a3mega_nodeset=5
  # A program that saves its step in a file shared by all nodes, and resumes from there: ./count.sh STEPS
  write_program /home/count.sh <<'END'
#!/bin/bash
step=$(cat "/home/saved-$SLURM_JOB_ID" 2>/dev/null || echo 0)
echo $step >"$SLIPWAY_PROGRESS"
sleep 0.5
while [ "$step" -lt "$1" ]; do
  step=$((step + 1))
  echo $step >"$SLIPWAY_PROGRESS"
  [ "$RANK" != 0 ] || { echo $step >"/home/new-$SLURM_JOB_ID"; mv "/home/new-$SLURM_JOB_ID" "/home/saved-$SLURM_JOB_ID"; }
  sleep 0.1
done
echo "rank $RANK of $WORLD_SIZE at $MASTER_ADDR:$MASTER_PORT, start $SLIPWAY_RESTART_COUNT, nccl $NCCL_SOCKET_IFNAME"
END
}

teardown_file() { slipway destroy "$NAME"; }

teardown() { leave_nothing "${N%-*}-controller" "$N"-0 "$N"-1 "$N"-2 "$N"-3 "$N"-4; }

# with_other_version NODE...: as if another Slipway had been installed there: its agents speak another protocol. Not on the
# node where `slipway launch` runs.
with_other_version() {
  local node
  write_program /home/other_version <"$TOP/build/tests/other_version"
  write_program /home/slipway <<'END'
#!/bin/sh
[ "$*" != "launch --agent" ] || exec /home/other_version
exec /run/own-slipway/bin/slipway "$@"
END
  for node in "$@"; do
    on "$NAME" "$node" sh -c 'mkdir -p /run/own-slipway && mount --bind /opt/slipway /run/own-slipway &&
      mount --bind /home/slipway /opt/slipway/bin/slipway'
  done
}

with_own_version() {
  local node
  for node in "$@"; do on "$NAME" "$node" sh -c 'umount /opt/slipway/bin/slipway; umount /run/own-slipway'; done
}

# submit OPTION... -- COMMAND...: a job of five nodes, or of NODES; its number is in JOB, its output in /home/JOB.out
submit() {
  on "$NAME" login sh -c 'cat >/home/launch.sbatch' <<END
#!/bin/bash
#SBATCH --nodes=${NODES:-5}
#SBATCH --exclusive
#SBATCH --no-kill
#SBATCH --output=/home/%j.out
#SBATCH --chdir=/home
# Ranks of MPI that wait let others run: all nodes share the processors of this machine.
export OMPI_MCA_mpi_yield_when_idle=1
/opt/slipway/bin/slipway launch $@
echo "status \$?"
END
  JOB=$(on "$NAME" login sbatch --parsable /home/launch.sbatch)
}

output() { on "$NAME" login cat "/home/$JOB.out"; }
has_said() { output 2>/dev/null | grep -q -- "$1"; }
ledger() { on "$NAME" login sh -c "cd /home; /opt/slipway/bin/slipway ledger $JOB $*"; }
at_step() { [ "$(on "$NAME" login cat "/home/saved-$JOB" 2>/dev/null || echo 0)" -ge "$1" ]; }

ended() {
  wait_for has_said "^status $1\$"
  run output
}
