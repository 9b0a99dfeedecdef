#!/usr/bin/env bats
# `slipway cluster describe` on a cluster that something else deployed.

bats_require_minimum_version 1.5.0

setup_file() {
  . "$BATS_TEST_DIRNAME/helper.bash"
  . "$BATS_TEST_DIRNAME/site_helper.bash"
  start_site
  site_files >"$BATS_FILE_TMPDIR/before"
}

setup() {
  . "$BATS_TEST_DIRNAME/helper.bash"
  . "$BATS_TEST_DIRNAME/site_helper.bash"
  SLIPWAY=/opt/slipway/bin/slipway
}

teardown_file() {
  . "$BATS_TEST_DIRNAME/helper.bash"
  . "$BATS_TEST_DIRNAME/site_helper.bash"
  stop_site
}

@test "site: without a yes, it shows the node, the difference and what it leaves alone, and changes nothing" {
  run -1 in_site $SLIPWAY cluster describe
  [[ "$output" == *"1 node: hardware, transport socket: here"* ]]
  [[ "$output" == *"away: "* ]] # and srun's reason
  [[ "$output" == *"+HealthCheckProgram=/opt/slipway/libexec/slipway/health"* ]]
  [[ "$output" == *"+optional /opt/slipway/lib/slipway/spank/nccl_env.so default=warn"* ]]
  [[ "$output" == *"SchedulerParameters of slurm.conf lacks nohold_on_prolog_fail"* ]]
  [[ "$output" == *"nothing is changed; to do it, add --yes"* ]]
  [ "$(site_files)" = "$(cat "$BATS_FILE_TMPDIR/before")" ]
}

@test "site: with --yes, nodes have profiles, and Slurm runs the checks and the plugin" {
  run -0 in_site $SLIPWAY cluster describe --yes --nodes here
  [[ "$output" == *"profile written on 1 of 1 node"* ]]
  run -0 in_site cat /etc/slipway/node.json
  [[ "$output" == *'"cluster": "department"'* && "$output" == *'"node": "here"'* && "$output" == *'"target": "hosts"'* ]]
  in_site scontrol reconfigure
  run -0 in_site scontrol show config
  [[ "$output" == *"HealthCheckProgram      = /opt/slipway/libexec/slipway/health"* ]]
  [[ "$output" == *"bf_interval=5"* ]]
  run -0 in_site srun --nodelist=here --nccl-env=show true
  run -1 in_site srun --nodelist=here --nccl-env=bad true
  [[ "$output" == *"--nccl-env"* ]]
}

@test "site: a second time, nothing changes; other wishes replace our lines, and only these" {
  local first
  first=$(site_files)
  run -0 in_site $SLIPWAY cluster describe --yes --nodes here
  [ "$(site_files)" = "$first" ]
  run -0 in_site $SLIPWAY cluster describe --yes --nodes here --nccl-env on --without-health
  run -0 in_site cat /etc/slurm/slurm.conf /etc/slurm/plugstack.conf
  [[ "$output" == *"nccl_env.so default=on"* && "$output" != *"HealthCheckProgram"* && "$output" == *"ask Ana"* ]]
  [ "$(in_site grep -c 'BEGIN Slipway' /etc/slurm/plugstack.conf)" = 1 ]
}

@test "site: --undo leaves every byte as it was" {
  run -1 in_site $SLIPWAY cluster describe --undo --nodes here
  [[ "$output" == *"-optional /opt/slipway/lib/slipway/spank/nccl_env.so"* ]]
  run -0 in_site $SLIPWAY cluster describe --undo --yes --nodes here
  [ "$(site_files)" = "$(cat "$BATS_FILE_TMPDIR/before")" ]
  run -1 in_site test -e /etc/slipway
}

@test "site: settings of the site's own stay, and a note says what to do" {
  in_site sh -c 'cp /etc/slurm/slurm.conf /tmp/slurm.conf.own && printf "\nHealthCheckProgram=/usr/sbin/nhc\n" >>/etc/slurm/slurm.conf
    echo "optional /usr/lib/site/nccl_env.so" >/etc/slurm/plugstack.conf'
  run -1 in_site $SLIPWAY cluster describe --nodes none
  [[ "$output" == *"yours stays"*"libexec/slipway/health"* ]]
  [[ "$output" == *"plugstack.conf has a line of yours for nccl_env.so"* ]]
  [[ "$output" != *"+HealthCheckProgram"* && "$output" != *"+optional"* ]]
  in_site sh -c 'mv /tmp/slurm.conf.own /etc/slurm/slurm.conf && rm /etc/slurm/plugstack.conf'
}

@test "site: a profile that came with a deployment is not overwritten, and one of a user's folder is not needed" {
  in_site sh -c 'mkdir -p /etc/slipway && /opt/slipway/bin/slipway node describe --json | sed s/\"hosts\"/\"google\"/ >/etc/slipway/node.json'
  run -1 in_site $SLIPWAY node describe --output /etc/slipway/node.json
  [[ "$output" == *"it stays"* ]]
  run -1 in_site $SLIPWAY node describe --remove
  in_site rm -r /etc/slipway
  run -1 in_site $SLIPWAY cluster describe --config /etc/nowhere
  [[ "$output" == *"there is no /etc/nowhere/slurm.conf"* ]]
}
