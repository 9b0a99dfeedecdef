# Machines of a fake Google Cloud become a Slurm cluster: from the output of `slipway create` for the quickstart, with
# real munge, slurmctld and slurmd. The metadata server and DNS are at their real address, and the services use TLS.

# bats file_tags=user
load helper
load google_helper

C=quickstart-controller
N=quickstart-a3meganodeset

setup_file() {
  cloud_start "$TOP/examples/quickstart.yaml"
  machine_start $C $N-0 $N-1
  # The node boots first and waits for the controller.
  boot $N-0 --deadline 120 >"$SUITE/node.out" 2>&1 3>&- &
  local node=$!
  boot $C --deadline 120 >"$SUITE/controller.out" 2>&1 3>&-
  wait $node
}

teardown_file() { cloud_stop; }

# bucket_file NAME
bucket_file() { echo "$CLOUD/buckets/my-project-quickstart-slurm/quickstart/$1"; }

@test "boot: a controller and a compute node become a cluster, and a job runs" {
  wait_for node_is_idle $C $N-0
  run machine $C srun --nodes=1 --gpus=8 sh -c 'echo "$SLURMD_NODENAME has $CUDA_VISIBLE_DEVICES"'
  says "$N-0 has 0,1,2,3,4,5,6,7"
}

@test "boot: reports the machine's identity, what it waits for, and that it is up" {
  run cat "$SUITE/controller.out"
  says "slipway node boot: this is $C, a controller machine of cluster quickstart
slipway node boot: sharing /opt/apps with the cluster's machines
slipway node boot: $C is up"
  run cat "$SUITE/node.out"
  says "$N-0 is up"
}

@test "boot: only munge can read the key, and every machine has the one from Secret Manager" {
  [ "$(machine $C stat -c '%a %U' /etc/munge/munge.key)" = "400 munge" ]
  [ "$(as_tester ls "$CLOUD/secrets/my-project/quickstart-munge-key")" = 1 ]
  local name
  for name in $C $N-0; do
    machine $name cat /etc/munge/munge.key | cmp - "$CLOUD/secrets/my-project/quickstart-munge-key/1"
  done
  [ "$(stat -c %s "$CLOUD/secrets/my-project/quickstart-munge-key/1")" -eq 128 ]
}

@test "boot: no log contains a token" {
  run as_owner grep -rlE 'ya29|Bearer' "$CLOUD/log-of" "$SUITE/controller.out" "$SUITE/node.out"
  [ "$output" = "" ]
}

@test "boot: the node profile is valid and has the node's own name and address" {
  machine $N-0 cat /etc/slipway/node.json >"$BATS_TEST_TMPDIR/node.json"
  python3 "$TOP/tests/schemas/validate.py" "$TOP/docs/schemas/node-1.schema.json" "$BATS_TEST_TMPDIR/node.json"
  run python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(d["node"], d["network_interfaces"][0]["address"])' "$BATS_TEST_TMPDIR/node.json"
  local address
  address=$(machine $N-0 ip -4 -o address show enp0s12 | awk '{ print $4 }')
  says "$N-0 ${address%/*}/16"
}

@test "boot: cluster.json matches its schema" {
  python3 "$TOP/tests/schemas/validate.py" "$TOP/docs/schemas/cluster-1.schema.json" "$(bucket_file cluster.json)"
}

@test "boot: /home is the same share on every machine" {
  machine $C sh -c 'echo from the controller >/home/file'
  run machine $N-0 cat /home/file
  says "from the controller"
}

# what_a_boot_changes NAME: key, files with their times, mounts and daemons
what_a_boot_changes() {
  machine "$1" sh -c 'sha256sum /etc/munge/munge.key; stat -c "%n %i %y" /etc/munge/munge.key /etc/slurm/* /etc/slipway/node.json
    cut -d" " -f2,5- /proc/self/mountinfo | grep /home; pgrep -l "munged|slurm"'
}

@test "boot: a second boot changes nothing, on the controller and on a node" {
  local name before
  for name in $C $N-0; do
    before=$(what_a_boot_changes $name)
    boot $name --deadline 20
    [ "$(what_a_boot_changes $name)" = "$before" ]
  done
  [ "$(as_tester ls "$CLOUD/secrets/my-project/quickstart-munge-key")" = 1 ]
}

@test "boot: a machine in another zone finds the controller by its long name" {
  cloud_control start $N-2 us-central1-b
  wait_for test -e "$CLOUD/up/$N-2"
  run machine $N-2 getent hosts $C
  [ "$status" -ne 0 ]
  boot $N-2 --deadline 20
  wait_for node_is_idle $C $N-2
}

@test "boot: a login node runs only munge, and sees the cluster" {
  machine_start quickstart-login-001
  boot quickstart-login-001 --deadline 20
  [ "$(machine quickstart-login-001 pgrep -l 'munged|slurm' | cut -d' ' -f2)" = munged ]
  run machine quickstart-login-001 sinfo --noheader --format=%P
  says "a3mega*"
}

@test "boot: names the file that it waited for without success, and starts nothing" {
  as_tester mv "$(bucket_file machines/a3mega_nodeset.json)" "$CLOUD/aside"
  run boot $N-1 --deadline 1
  as_tester mv "$CLOUD/aside" "$(bucket_file machines/a3mega_nodeset.json)"
  fails_with 1 "cannot get gs://my-project-quickstart-slurm/quickstart/machines/a3mega_nodeset.json: No such object"
  run machine $N-1 pgrep 'munged|slurm'
  [ "$output" = "" ]
}

@test "boot: does not use a file whose digest differs from cluster.json" {
  as_tester cp "$(bucket_file slurm/slurm.conf)" "$CLOUD/aside"
  as_tester sh -c "echo '# more' >>'$(bucket_file slurm/slurm.conf)'"
  run boot $N-1 --deadline 1
  as_tester mv "$CLOUD/aside" "$(bucket_file slurm/slurm.conf)"
  fails_with 1 "slurm.conf: its content does not match cluster.json"
}

@test "boot: a service with a certificate from another authority gets no token" {
  machine $N-1 cp /etc/ssl/certs/ca-certificates.crt /tmp/right.crt
  as_tester mkdir "$CLOUD/other"
  CLOUD=$CLOUD/other make_certificate ca server
  machine $N-1 sh -c 'cat >/etc/ssl/certs/ca-certificates.crt' <"$CLOUD/other/ca.crt"
  run boot $N-1 --deadline 1
  machine $N-1 cp /tmp/right.crt /etc/ssl/certs/ca-certificates.crt
  fails_with 1 "cluster.json: SSL certificate "
}

@test "boot: the environment cannot redirect it" {
  boot_with() { machine $N-1 env "$@" /opt/slipway/bin/slipway node boot --deadline 20; }
  run boot_with http_proxy=http://10.0.0.9:1 https_proxy=http://10.0.0.9:1 ALL_PROXY=http://10.0.0.9:1 SSL_CERT_FILE=/nothing \
    CURL_CA_BUNDLE=/nothing HOME=/tmp PATH=/nothing
  says "$N-1 is up"
}

@test "boot: reports a machine that belongs to no cluster" {
  machine_start $N-3
  as_tester sed -i 's/slipway-cluster/other/' "$CLOUD/instances/$N-3.json"
  run boot $N-3 --deadline 5
  fails_with 1 "slipway node boot: this machine has no metadata \`slipway-cluster\`: it is not part of a Slipway cluster"
}

@test "boot: without a metadata server it gives up in time" {
  run machine $N-1 sh -c 'ip route replace blackhole 169.254.169.254; /opt/slipway/bin/slipway node boot --deadline 1'
  machine $N-1 ip route delete blackhole 169.254.169.254
  fails_with 1 "slipway node boot: cannot get the machine's metadata:"
}
