# adversity.bats with many seeds, from the first to the last in SEEDS.

# bats file_tags=apart

load helper
load google_helper
load adversity_helper

setup_file() { adversity_start; }
teardown_file() { cloud_stop; }

@test "adversity: the faults of many seeds" {
  local seed first=10 last=49
  read -r first last <<<"${SEEDS:-$first $last}"
  for ((seed = first; seed <= last; seed++)); do
    live_through "$seed"
    echo "seed $seed" >&3
  done
}
