# What Terraform runs when it destroys a cluster by hand: the definitions' own provisioner, by the real Terraform, against the
# fake Google Cloud. The provider's resources are left out: Terraform does not know what Slurm made.

load helper
load google_helper

C=power-controller
L=power-login-001
N=power-cpunodes

setup_file() {
  export TOKEN
  TOKEN=$(sed -n 's/^OPERATOR_TOKEN = "\(.*\)"$/\1/p' "$TOP/tests/fakes/google/cloud.py")
  cloud_start "$TOP/tests/system/terraform_cleanup.yaml"
  # The login node is the machine of the person who deploys; it belongs to Terraform.
  machine_start $C $L $N-0 $N-1
  as_tester tar -C "$CLOUD/created" -c . | machine $L sh -c 'mkdir -p /tmp/d && tar -x -C /tmp/d'
  machine $L mkdir /tmp/d/power/by-hand
  provisioner_only | machine $L sh -c 'cat >/tmp/d/power/by-hand/main.tf.json'
}

teardown_file() { cloud_stop; }

# provisioner_only: the resource of the definitions that deletes machines, without what it waits for
provisioner_only() {
  as_tester python3 -B - "$CLOUD"/created/power/primary/controller.tf.json <<'PYTHON'
import json, sys
resources = json.load(open(sys.argv[1]))["resource"]["terraform_data"]
[(name, body)] = [(name, body) for name, body in resources.items() if "provisioner" in body]
print(json.dumps({"resource": {"terraform_data": {name: {"input": "x", "provisioner": body["provisioner"]}}}}))
PYTHON
}

# terraform WORD...: on the login node, in the group's folder, with the environment in VARIABLES. Without a Terraform, what it
# would run at the end is run.
terraform() {
  local variables=(PATH=/opt/slipway/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp CHECKPOINT_DISABLE=1 GOOGLE_OAUTH_ACCESS_TOKEN="$TOKEN")
  local program=("$(type -P terraform)" "$@")
  if [ -z "${program[0]}" ]; then
    [ "$1" = destroy ] || return 0
    program=(sh -c "$(provisioner_only | python3 -c 'import json, sys
[body] = json.load(sys.stdin)["resource"]["terraform_data"].values()
print(body["provisioner"]["local-exec"]["command"])')")
  fi
  machine $L env -C /tmp/d/power/by-hand "${variables[@]}" "${VARIABLES[@]}" "${program[@]}"
}

names() { cloud_control machines | cut -d' ' -f1 | sort | xargs; }

@test "terraform destroy: slipway destroy's own Terraform leaves Slurm's machines to slipway" {
  VARIABLES=(SLIPWAY_DESTROYS=1)
  terraform init -no-color >/dev/null
  terraform apply -no-color -auto-approve
  terraform destroy -no-color -auto-approve
  [ "$(names)" = "$C $N-0 $N-1 $L" ]
}

@test "terraform destroy: by hand, it deletes what Slurm started, and the controller first" {
  VARIABLES=()
  terraform apply -no-color -auto-approve
  run terraform destroy -no-color -auto-approve
  says "deleting $C, so that it makes no more machines"
  says "deleting 2 machines that Slurm started"
  [ "$(names)" = "$L" ]
  # Again, there is nothing to do.
  terraform apply -no-color -auto-approve
  terraform destroy -no-color -auto-approve
}

@test "terraform destroy: with credentials that have ended it fails at once, and runs again with others" {
  VARIABLES=(GOOGLE_OAUTH_ACCESS_TOKEN=ended)
  terraform apply -no-color -auto-approve
  run terraform destroy -no-color -auto-approve
  [ "$status" -ne 0 ]
  [[ "$output" == *"Google Cloud refuses the credentials"* ]]
  VARIABLES=()
  terraform destroy -no-color -auto-approve
}
