# shellcheck shell=bash
# What the scripts of this folder share. To be sourced by them; it runs nothing by itself.

# Where Slipway is on every node.
bandwidth_programs=${BANDWIDTH_PROGRAMS:-/opt/slipway/bin}

# measure COLLECTIVE [option of COLLECTIVE_perf...]: on all tasks of the job, with a report beside the output. The exit
# status is that of the verdict: 1 for fail. When one rank dies, Slurm ends the others, which would wait for it.
measure() {
  local collective=$1
  shift
  srun --kill-on-bad-exit=1 "$bandwidth_programs/${collective}_perf" "$@" \
    --report "${SLURM_JOB_NAME}_${collective}_${SLURM_JOB_ID}.json"
}
