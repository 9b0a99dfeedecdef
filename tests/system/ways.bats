# `slipway node resume` buys machines in the ways that the blueprint names, and a fake Google Cloud accepts its requests.
# The machines stay off: only what the cloud has been asked to make counts.

load helper
load google_helper

C=ways-controller
PLACE=projects/my-project/zones/us-central1-a

setup_file() {
  cloud_start "$TOP/tests/system/ways.yaml"
  as_tester touch "$CLOUD/machines-boot"
  machine_start $C
  wait_for machine $C scontrol ping
  as_tester touch "$CLOUD/machines-stay-off"
}

teardown_file() { cloud_stop; }

power_log() { as_tester tail -n 3 "$CLOUD/log-of/$C/power.log"; }

# resume NODES: as slurmctld calls it. Prints the end of its log if it fails.
resume() { machine $C runuser -u slurm -- /opt/slipway/libexec/slipway/resume "$1" || { power_log && false; }; }

# put_reservation NAME MORE: a reservation of four machines in the cluster's zone, with more fields
put_reservation() {
  cloud_control put "$PLACE/reservations/$1" \
    '{"specificReservation": {"count": "4", "instanceProperties": {"machineType": "a3-megagpu-8g"}}, "status": "READY"'"$2}"
}

# has NAME TEXT...: the machine, as Compute Engine shows it, has each text
has() {
  local shown text
  shown=$(cloud_control show "$1")
  for text in "${@:2}"; do
    [[ "$shown" == *"$text"* ]] || { echo "$1 has not: $text; it is $shown" && false; }
  done
}

@test "ways: a reservation that does not exist is the reason" {
  run resume ways-specific-0
  [ "$status" -eq 1 ]
  run power_log
  says "cannot resume ways-specific-0: us-central1-a: The resource '$PLACE/reservations/ours' was not found"
}

@test "ways: a specific reservation gives its machines, and no more than it has" {
  put_reservation ours ''
  resume "ways-specific-[0-1]"
  has ways-specific-0 '"values": ["ours"]' '"provisioningModel": "STANDARD"'
  cloud_control put "$PLACE/reservations/ours" \
    '{"specificReservation": {"count": "2", "instanceProperties": {"machineType": "a3-megagpu-8g"}}, "status": "READY"}'
  run resume ways-specific-2
  [ "$status" -eq 1 ]
  run power_log
  says "RESERVATION_CAPACITY_EXCEEDED"
}

@test "ways: machines in a dense reservation are bound to it" {
  put_reservation near ', "deploymentType": "DENSE"'
  resume "ways-dense-[0-1]"
  has ways-dense-1 '"values": ["near"]' '"provisioningModel": "RESERVATION_BOUND"' '"instanceTerminationAction": "DELETE"'
}

@test "ways: a future reservation gives no machine before its time, and then those of its reservation" {
  cloud_control put "$PLACE/futureReservations/next-month" '{"status": {"procurementStatus": "COMMITTED"}, "reservationMode": "CALENDAR"}'
  run resume ways-later-0
  [ "$status" -eq 1 ]
  run power_log
  says "the future reservation next-month has no reservation yet; it is COMMITTED"
  cloud_control put "$PLACE/futureReservations/next-month" '{"reservationMode": "CALENDAR", "status": {"procurementStatus": "FULFILLED",
    "autoCreatedReservations": ["https://www.googleapis.com/compute/v1/'$PLACE'/reservations/made-for-it"]}}'
  put_reservation made-for-it ', "reservationMode": "CALENDAR", "deploymentType": "DENSE"'
  resume ways-later-0
  has ways-later-0 'reservations/made-for-it"]' '"provisioningModel": "RESERVATION_BOUND"'
}

@test "ways: from a reservation to Spot to on demand, as the cloud refuses" {
  resume ways-each-0
  has ways-each-0 '"provisioningModel": "SPOT"' '"maintenanceInterval": "PERIODIC"'
  echo '{"quotas": {"us-central1": {"PREEMPTIBLE_NVIDIA_H100_MEGA_80GB_GPUS": 8}}}' | as_tester tee "$CLOUD/conditions.json"
  resume ways-each-1
  has ways-each-1 '"provisioningModel": "STANDARD"'
  echo '{"quotas": {"us-central1": {"PREEMPTIBLE_NVIDIA_H100_MEGA_80GB_GPUS": 8, "NVIDIA_H100_MEGA_80GB_GPUS": 8}}}' | as_tester tee "$CLOUD/conditions.json"
  run resume ways-each-2
  [ "$status" -eq 1 ]
  run power_log
  says "us-central1-a, SPOT: QUOTA_EXCEEDED: Quota 'PREEMPTIBLE_NVIDIA_H100_MEGA_80GB_GPUS' exceeded."
  as_tester rm "$CLOUD/conditions.json"
}

@test "ways: machines of one nodeset are spread over its zones" {
  resume "ways-balanced-[0-3]"
  run cloud_control machines
  [ "$(grep -c '^ways-balanced.*us-central1-a' <<<"$output")" -eq 2 ]
  [ "$(grep -c '^ways-balanced.*us-central1-b' <<<"$output")" -eq 2 ]
}

@test "ways: suspend deletes the machines of all ways" {
  machine $C runuser -u slurm -- /opt/slipway/libexec/slipway/suspend \
    "ways-specific-[0-3],ways-dense-[0-3],ways-later-[0-3],ways-each-[0-3],ways-balanced-[0-3]"
  run cloud_control machines
  [ "$output" = "$C us-central1-a RUNNING" ]
}

@test "ways: the controller records its requests while root asks for it, and the stand-in replays them" {
  local recorded=/var/log/slurm/slipway-traffic.jsonl
  machine $C test ! -e $recorded
  put_reservation ours ''
  machine $C touch /etc/slipway/record-traffic
  resume ways-specific-3
  machine $C rm /etc/slipway/record-traffic
  [ "$(machine $C stat -c '%U %a' $recorded)" = "slurm 600" ]
  machine $C cat $recorded >"$BATS_TEST_TMPDIR/raw.jsonl"
  resume ways-specific-2
  machine $C cmp $recorded - <"$BATS_TEST_TMPDIR/raw.jsonl"
  grep -q '"url":"https://compute.googleapis.com/compute/v1/[^"]*/instances/bulkInsert' "$BATS_TEST_TMPDIR/raw.jsonl"
  refuse grep -qiE 'bearer|ya29' "$BATS_TEST_TMPDIR/raw.jsonl"
  python3 -B "$TOP/scripts/record.py" "$BATS_TEST_TMPDIR/clean.jsonl" --from "$BATS_TEST_TMPDIR/raw.jsonl"
  run python3 -B "$TOP/tests/fakes/google/replay.py" "$BATS_TEST_TMPDIR/clean.jsonl"
  # The stand-in has none of the deployment's resources here, but knows every request and every field of the answers.
  refuse grep -E "Unknown name|was not found on this server" <<<"$output"
}
