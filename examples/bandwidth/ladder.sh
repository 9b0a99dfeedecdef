#!/bin/bash
# Run the same test on 2, 4, 8, … nodes and on all of the partition, one job after another, and print a row as each job
# ends: where does it get slow?
#
#   ./ladder.sh                                  2, 4, 8, … and all nodes with cpu.sbatch
#   ./ladder.sh a3-megagpu.sbatch 2 8 16         another script, other numbers of nodes
#
# Steps that are larger than the partition are skipped with a message. The exit status is 1 if a job failed or did not
# run, or if no step fits the partition.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
script=${1:-cpu.sbatch}
[ $# -eq 0 ] || shift
steps=("$@")
[ -e "$script" ] || script=$here/$script
name=$(basename "$script" .sbatch)

# Slurm accepts a job that is larger than its partition, and keeps it pending.
partition=${SBATCH_PARTITION:-$(sed -nE 's/^#SBATCH +(--partition=|-p *)([^ ]+).*/\2/p' "$script" | head -n 1)}
partition=${partition:-$(sinfo --noheader --format=%P | sed -n 's/\*$//p' | head -n 1)}
size=$(sinfo --noheader --partition="$partition" --format=%D | awk '{ n += $1 } END { print n + 0 }')

if [ ${#steps[@]} -eq 0 ]; then
  for ((nodes = 2; nodes < size; nodes *= 2)); do steps+=("$nodes"); done
  steps+=("$size")
fi

# wait_for JOB: until it has ended.
wait_for() {
  while squeue --noheader --jobs="$1" --format=%i 2>/dev/null | grep -q .; do
    sleep "${LADDER_POLL_SECONDS:-5}"
  done
}

# print_rows NODES OUTPUT: the row of the largest size of each table in OUTPUT, with its verdict. Fails without one, or
# if one is `fail`.
print_rows() {
  [ -e "$2" ] || { printf '%6s  no output: %s\n' "$1" "$2"; return 1; }
  awk -v nodes="$1" '
    /^# Collective test starting:/ { collective = $5; sub(/_perf$/, "", collective); size = "" }
    NF == 13 && $1 ~ /^[0-9]+$/    { size = $1; busbw = $8 }
    /^# Verdict:/ {
      verdict = $0; sub(/^# Verdict: /, "", verdict); sub(/ \(.*/, "", verdict)
      printf "%6s  %-14s  %10s  %10s  %s\n", nodes, collective, size, busbw, verdict
      if (verdict == "fail") bad = 1
      seen = 1
    }
    END { exit bad || !seen }' "$2"
}

failed=0
ran=0
printf '%6s  %-14s  %10s  %10s  %s\n' nodes collective size 'busbw GB/s' verdict
for nodes in "${steps[@]}"; do
  if [ "$nodes" -gt "$size" ]; then
    printf '%6s  skipped: the partition %s has %s nodes\n' "$nodes" "$partition" "$size"
    continue
  fi
  # One job at a time: two would share the switches between them.
  job=$(sbatch --parsable --nodes="$nodes" "$script")
  echo "$nodes nodes: job ${job%%;*}" >&2
  wait_for "${job%%;*}"
  print_rows "$nodes" "${name}_${job%%;*}.out" || failed=1
  ran=1
done
[ "$ran" -eq 1 ] || failed=1
exit "$failed"
