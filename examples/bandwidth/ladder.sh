#!/bin/bash
# Runs the same test on 2, 8, 16 and 32 nodes, one job after another, and prints a summary that shows where it gets slow.
#
#   ./ladder.sh                                  2, 8, 16, 32 nodes with cpu.sbatch
#   ./ladder.sh a3-megagpu.sbatch 2 8 16         another script, other numbers of nodes
#
# Waits for the jobs. The exit status is 1 if any of them failed or did not run.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
script=${1:-cpu.sbatch}
[ $# -eq 0 ] || shift
steps=("$@")
[ ${#steps[@]} -gt 0 ] || steps=(2 8 16 32)
[ -e "$script" ] || script=$here/$script
name=$(basename "$script" .sbatch)

jobs=()
dependency=()
for nodes in "${steps[@]}"; do
  # One at a time, because concurrent jobs would share switches.
  job=$(sbatch --parsable --nodes="$nodes" "${dependency[@]}" "$script")
  jobs+=("${job%%;*}")
  dependency=(--dependency="afterany:${job%%;*}")
  echo "$nodes nodes: job ${job%%;*}"
done
while squeue --noheader --jobs="$(IFS=,; echo "${jobs[*]}")" --format=%i 2>/dev/null | grep -q .; do
  sleep "${LADDER_POLL_SECONDS:-5}"
done

failed=0
echo
printf '%6s  %-14s  %10s  %10s  %s\n' nodes collective size 'busbw GB/s' verdict
for i in "${!jobs[@]}"; do
  output=${name}_${jobs[$i]}.out
  [ -e "$output" ] || { printf '%6s  no output: %s\n' "${steps[$i]}" "$output"; failed=1; continue; }
  # From each table, the row of the largest size, and the verdict after it.
  awk -v nodes="${steps[$i]}" '
    /^# Collective test starting:/ { collective = $5; sub(/_perf$/, "", collective); size = "" }
    NF == 13 && $1 ~ /^[0-9]+$/    { size = $1; busbw = $8 }
    /^# Verdict:/ {
      verdict = $0; sub(/^# Verdict: /, "", verdict); sub(/ \(.*/, "", verdict)
      printf "%6s  %-14s  %10s  %10s  %s\n", nodes, collective, size, busbw, verdict
      if (verdict == "fail") bad = 1
      seen = 1
    }
    END { exit bad || !seen }' "$output" || failed=1
done
exit "$failed"
