# The bandwidth test through sbatch, from the examples that users copy.

# bats file_tags=user,long
load helper

NAME=st-gather

setup_file() {
  deploy st-gather
  local status=0
  # Waiting ranks must yield: all nodes share this machine's processors.
  on st-gather login env OMPI_MCA_mpi_yield_when_idle=1 sbatch --wait --output=/home/all_gather.out /opt/slipway/share/slipway/examples/all_gather.sbatch ||
    status=$?
  on st-gather login cat /home/all_gather.out >"$SUITE/all_gather.out"
  output=$(cat "$SUITE/all_gather.out")
  judged
}

teardown_file() { slipway destroy st-gather; }

@test "all_gather: a fence of PMIx waits for the ranks of all nodes" {
  slurm_has_pmix || return 0
  on $NAME login sh -c 'cat >/home/fence_probe && chmod 755 /home/fence_probe' <"$TOP/build/tests/fence_probe"
  run on $NAME login srun --nodes=4 --mpi=pmix /home/fence_probe
  [ "$status" -eq 0 ]
  [ "${#lines[@]}" -eq 3 ]
  # The last one comes a second after it has left the fence before, like the others.
  local waited
  for waited in "${lines[@]}"; do [ "$waited" -ge 500 ]; done
}

@test "all_gather: runs with a rank on each of the four nodes" {
  [ "$(grep -cE '^#  Rank +[0-9]+ ' "$SUITE/all_gather.out")" -eq 4 ]
  local node
  for node in $(compute_nodes $NAME); do grep -q "^#  Rank .* $node " "$SUITE/all_gather.out"; done
}

@test "all_gather: every size has 13 columns and no wrong element, and large sizes a bandwidth above zero" {
  awk '!/^#/ && NF == 13 && $1 ~ /^[0-9]+$/ {
         rows += 1
         if ($1 >= 4194304 && ($8 <= 0 || $12 <= 0)) bad = 1
         if ($9 != 0 || $13 != 0) bad = 1
       }
       END { exit !(rows >= 5 && !bad) }' "$SUITE/all_gather.out"
  grep -q '^# Out of bounds values : 0 OK' "$SUITE/all_gather.out"
}

@test "all_gather: ends with a verdict, by the ratio to a control over loopback" {
  run sed -n 's/^# Verdict: \([a-z ]*\) (busbw .* of what this machine moves over loopback.*(\([0-9.]*\) to \([0-9.]*\) with .*; at least \([0-9.]*\) .*/\1:\2 \3 \4/p' \
    "$SUITE/all_gather.out"
  [ "${#lines[@]}" -eq 1 ]
  # Between which ratios the true one is, and what is expected; the figures are rounded.
  awk -v line="$output" 'BEGIN {
    split(line, part, ":"); split(part[2], n, " "); low = n[1]; high = n[2]; floor = n[3]; close_by = 0.0051
    if (part[1] == "pass") exit !(low >= floor - close_by)
    if (part[1] == "fail") exit !(high <= floor + close_by)
    exit !(part[1] == "too noisy to say" && low <= floor + close_by && high >= floor - close_by)
  }'
}

@test "all_gather: writes a report that keeps its schema" {
  on $NAME login sh -c 'cat /home/*.json' >"$SUITE/report.json"
  python3 "$TOP/tests/schemas/validate.py" "$TOP/docs/schemas/bandwidth-1.schema.json" "$SUITE/report.json"
}

@test "all_gather: started by srun without MPI, ranks find each other through Slurm's environment" {
  run on $NAME login srun --nodes=4 --mpi=none /opt/slipway/bin/all_gather_perf -b 1M -e 1M
  judged
  [ "$(grep -cE '^#  Rank +[0-9]+ ' <<<"$output")" -eq 4 ]
  grep -q '^# Out of bounds values : 0 OK' <<<"$output"
}

@test "all_gather: MPI without PMIx is an error instead of four worlds of one rank" {
  run on $NAME login srun --nodes=4 --mpi=none /opt/slipway/bin/all_gather_perf --backend mpi -b 1K -e 1K
  [ "$status" -ne 0 ]
  [[ "$output" == *--mpi=pmix* ]]
}
