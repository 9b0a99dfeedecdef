# shellcheck shell=bash
# Shared by the scripts in this folder, which source it; runs nothing by itself.

# The folder of the programs on every node.
bandwidth_programs=${BANDWIDTH_PROGRAMS:-/opt/slipway/bin}

# measure COLLECTIVE [option of COLLECTIVE_perf...]: measures on all tasks of the job, and writes a report next to the
# output. The exit status is the verdict's: 1 for fail. If one rank dies, Slurm ends the others, which would wait for it.
measure() {
  local collective=$1
  shift
  srun --kill-on-bad-exit=1 "$bandwidth_programs/${collective}_perf" "$@" \
    --report "${SLURM_JOB_NAME}_${collective}_${SLURM_JOB_ID}.json"
}
