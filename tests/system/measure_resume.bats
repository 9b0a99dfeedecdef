# How long `slipway node resume` and `suspend` take for 500 nodes, from slurmctld's call to the last request to the cloud.
# The figures are printed. tests/benchmark/resume.py runs this.

# bats file_tags=apart
load helper
load google_helper

C=jobs-controller
S=jobs-spot
RUNS=3

setup_file() {
  cloud_start "$TOP/tests/system/power_jobs.yaml"
  as_tester touch "$CLOUD/machines-boot"
  machine_start $C
  wait_for machine $C scontrol ping
  # Only the requests count; 500 machines would take this one's time.
  as_tester touch "$CLOUD/machines-stay-off"
  # The reconciler would make requests, too.
  machine $C pkill -f 'node reconcile' || true
}

teardown_file() { cloud_stop; }

# What slurmctld writes for a job on all nodes.
resume_file='{"jobs": [{"job_id": 7, "nodes_alloc": "'$S'-[0-499]", "nodes_resume": "'$S'-[0-499]"}], "all_nodes_resume": "'$S'-[0-499]"}'

requests() { as_tester sed '/ 169.254\|metadata/d' "$CLOUD/log" | wc -l; }

# measure resume|suspend: prints the seconds from the call to the last request, and the number of requests
measure() {
  local before begin last
  before=$(requests)
  begin=$(date +%s.%N)
  machine $C runuser -u slurm -- env SLURM_RESUME_FILE=/tmp/resume.json "/opt/slipway/libexec/slipway/$1" "$S-[0-499]"
  last=$(as_tester stat --format=%.9Y "$CLOUD/log")
  awk -v begin="$begin" -v last="$last" -v count=$(($(requests) - before)) -v what="$1" \
    'BEGIN { printf "# %s of 500 nodes: %.2f s to the last request, %d requests\n", what, last - begin, count }' >&3
}

@test "measure: resume and suspend of 500 nodes" {
  machine $C sh -c "echo '$resume_file' >/tmp/resume.json; chmod 644 /tmp/resume.json"
  gone() { ! cloud_control machines | grep -q "^$S-"; }
  for _ in $(seq $RUNS); do
    measure resume
    [ "$(cloud_control machines | grep -c "^$S-")" -eq 500 ]
    measure suspend
    wait_for gone
  done
}
