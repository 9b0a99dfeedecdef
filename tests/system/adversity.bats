# Whatever happens to a cluster on a fake Google Cloud, in any order, Slurm and the cloud agree in the end: random faults by
# seed. soak_adversity.bats lives through more of them.

# bats file_tags=long,thorough
load helper
load google_helper
load adversity_helper

L=adversity-login-001

setup_file() { adversity_start; }
teardown_file() { cloud_stop; }

@test "adversity: one seed's faults" { live_through 1; }
@test "adversity: another seed's faults" { live_through 2; }
@test "adversity: a third seed's faults" { live_through 3; }

# clean_up: what a destroy runs before Terraform deletes the rest
clean_up() {
  local token
  token=$(sed -n 's/^OPERATOR_TOKEN = "\(.*\)"$/\1/p' "$TOP/tests/fakes/google/cloud.py")
  machine $L env GOOGLE_OAUTH_ACCESS_TOKEN="$token" /opt/slipway/bin/slipway node cleanup /tmp/d/adversity
}

@test "adversity: after a destroy in the middle of faults, nothing is left" {
  # The login node is the machine of the person who deploys.
  machine_start $L
  as_tester tar -C "$CLOUD/created" -c . | machine $L sh -c 'mkdir /tmp/d && tar -x -C /tmp/d'
  RANDOM=4
  local i
  for i in 1 2 3 4 5 6; do
    submit
    fault
  done
  conditions conditions.json '{"failures": [{"every": 3, "status": 503}]}'
  clean_up || true
  no_conditions
  clean_up
  cloud_destroy
  nothing_is_left
}
