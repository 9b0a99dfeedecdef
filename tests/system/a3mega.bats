# Deploys an unchanged cloud blueprint for A3 Mega on this machine.

# bats file_tags=user
load helper

NAME=st-a3mega
N=sta3mega-gpunodes

setup_file() {
  cp "$TOP/tests/system/a3mega.yaml" "$SUITE/a3mega.yaml"
  slipway deploy "$SUITE/a3mega.yaml" --vars "deployment_name=$NAME" --nodes gpu_nodes=2 >"$SUITE/a3mega.out" 2>&1
}

teardown_file() { slipway destroy $NAME; }

@test "a3mega: settings without effect here are listed, with the reason" {
  run cat "$SUITE/a3mega.out"
  says "dashboard (modules/monitoring/dashboard): there is no monitoring here"
  lacks "data.* (modules/"
}

@test "a3mega: the nodeset has the requested size, and nodes for debugging are off" {
  run on $NAME controller sinfo --noheader --format='%P %D %T'
  says "gpu* 2 idle"
  says "debug 4 idle~"
}

@test "a3mega: a GPU node has nine interfaces, named and ordered as in the cloud" {
  run on $NAME "$N-0" ip -brief -4 address show
  local wanted="enp0s12 enp6s0 enp7s0 enp13s0 enp14s0 enp134s0 enp135s0 enp141s0 enp142s0"
  [ "$(awk '$1 != "lo" { print $1 }' <<<"$output" | cut -d@ -f1 | xargs)" = "$wanted" ]
  [ "$(grep -c '172\.[0-9.]*/' <<<"$output")" -eq 8 ]
  run on $NAME "$N-0" sh -c 'ip -o link | grep -c "mtu 8244"'
  [ "$output" = 9 ]
}

@test "a3mega: each GPU's network connects the nodes" {
  local address
  for interface in enp6s0 enp142s0; do
    address=$(on $NAME "$N-1" ip -brief -4 address show "$interface" | grep -oE '172\.[0-9.]+')
    on $NAME "$N-0" ip route get "$address" | grep -q "dev $interface "
    on $NAME "$N-0" timeout 5 bash -c ": </dev/tcp/$address/6818" # its slurmd
  done
}

@test "a3mega: the bucket is the same folder on the nodes, the login and the controller" {
  on $NAME login sh -c 'echo model >/gcs/checkpoint && chmod a+r /gcs/checkpoint'
  run on $NAME login srun --quiet --nodes=2 cat /gcs/checkpoint
  [ "$output" = "$(printf 'model\nmodel')" ]
  run on $NAME controller cat /gcs/checkpoint
  [ "$output" = model ]
}

@test "a3mega: a job for the partition of small nodes starts one" {
  run on $NAME login srun --partition=debug hostname
  [ "$status" -eq 0 ]
  says "sta3mega-debugnodes-0"
}
