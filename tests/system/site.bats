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
  [[ "$output" == *"profile written on 1 of 1 node"* && "$output" == *"next: scontrol reconfigure"* ]]
  run -0 in_site cat /etc/slipway/node.json
  [[ "$output" == *'"cluster": "department"'* && "$output" == *'"node": "here"'* && "$output" == *'"target": "hosts"'* ]]
  in_site scontrol reconfigure
  run -0 in_site scontrol show config
  [[ "$output" == *"HealthCheckProgram      = /opt/slipway/libexec/slipway/health"* ]]
  [[ "$output" == *"bf_interval=5"* ]]
  run -0 in_site srun --nodelist=here --nccl-env=show true
  run in_site srun --nodelist=here --nccl-env=bad true
  [ "$status" -ne 0 ]
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

@test "site: --undo restores every byte" {
  run -1 in_site $SLIPWAY cluster describe --undo --nodes here
  [[ "$output" == *"-optional /opt/slipway/lib/slipway/spank/nccl_env.so"* ]]
  run -0 in_site $SLIPWAY cluster describe --undo --yes --nodes here
  [ "$(site_files)" = "$(cat "$BATS_FILE_TMPDIR/before")" ]
  run -1 in_site test -e /etc/slipway
}

@test "site: a required plugin of another Slurm says so and stands aside, in srun and slurmd" {
  in_site sh -c "echo 'required $TOP/build/tests/fakes/spank/other_slurm.so' >/etc/slurm/plugstack.conf"
  run -0 in_site srun --nodelist=here echo started
  [[ "$output" == *"node_health: built for Slurm 31.05, and this is "*", so it does nothing"* && "$output" == *started* ]]
  run -0 in_site sh -c 'pkill -x slurmd; while pgrep -x --runstates R,S,D slurmd >/dev/null; do sleep 0.1; done; slurmd -N here 2>/dev/null || slurmd'
  run -0 in_site grep -c 'built for Slurm 31.05' "$SITE/log/slurmd.log"
  run -0 in_site srun --nodelist=here echo again
  [[ "$output" == *again* ]]
  in_site rm /etc/slurm/plugstack.conf
}

@test "site: --undo leaves an empty plugstack.conf of the site's own" {
  in_site sh -c ': >/etc/slurm/plugstack.conf && chmod 640 /etc/slurm/plugstack.conf'
  run -0 in_site $SLIPWAY cluster describe --yes --nodes none
  run -0 in_site grep -c nccl_env /etc/slurm/plugstack.conf
  run -0 in_site $SLIPWAY cluster describe --undo --yes --nodes none
  [ "$(in_site stat -c '%s %a' /etc/slurm/plugstack.conf)" = "0 640" ]
  in_site rm /etc/slurm/plugstack.conf
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

@test "site: the service that nodes wait for is named if the health policy has deep checks" {
  run -1 in_site $SLIPWAY cluster describe --nodes none
  [[ "$output" != *"slipway-admission.service"* ]]
  in_site sh -c 'echo "deep_checks: {when: [boot]}" >/etc/slurm/health.yaml'
  run -1 in_site $SLIPWAY cluster describe --nodes none
  [[ "$output" == *"note: /etc/slurm/health.yaml has deep_checks: nodes wait until slipway-admission.service runs where slurmctld does"* ]]
  in_site rm /etc/slurm/health.yaml
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

# There are no GPUs here and one node: the user says that there are (CUDA_VISIBLE_DEVICES), and that a job has two nodes.
# shellcheck disable=SC2016  # for the job's shell
@test "site: a user without rights gets the variables with their origins, and his own values stay" {
  run -0 as_someone slipway run --nccl-env show -- srun --nodelist=here env
  [[ "$output" == *$'\nNCCL_NET=Socket'* && "$output" == *$'\nNCCL_NET_PLUGIN=none'* ]]
  [[ "$output" == *"slipway: transport"* ]] # the table
  run -0 as_someone env NCCL_NET_PLUGIN=mine slipway run -- srun --nodelist=here env
  [[ "$output" == *$'\nNCCL_NET_PLUGIN=mine'* && "$output" == *"NCCL_NET=Socket"* ]]
  run -0 as_someone slipway run --nccl-env off -- srun --nodelist=here env
  [[ "$output" != *$'\nNCCL_'* ]]
  run -0 as_someone slipway run --nccl-env warn -- srun --nodelist=here env NCCL_SEEN=1
  [[ "$output" != *"NCCL_NET="* ]]
  # Without GPUs, nothing.
  run -0 as_someone env CUDA_VISIBLE_DEVICES= slipway run -- srun --nodelist=here env
  [[ "$output" != *"NCCL_NET="* ]]
}

# shellcheck disable=SC2016
@test "site: a batch script prepares its shell, and a second step recognizes what the first one got" {
  run -0 as_someone srun --nodelist=here bash -c 'eval "$(slipway job prepare)"; echo "first $NCCL_NET"
    export NCCL_NET_PLUGIN=other; eval "$(slipway job prepare)"; echo "second $NCCL_NET $NCCL_NET_PLUGIN"'
  [[ "$output" == *"first Socket"* && "$output" == *"second Socket other"* ]]
  in_site sh -c 'printf "#!/bin/sh\necho export MINE=7\n" >"$0/home/prolog" && chmod 755 "$0/home/prolog"' "$SITE"
  run -0 as_someone env SLURM_TASK_PROLOG="$SITE/home/prolog" slipway run -- srun --nodelist=here env
  [[ "$output" == *$'\nMINE=7'* && "$output" == *"NCCL_NET=Socket"* ]]
}

# refuse_test_variable: writes the site's node profile, with which a job that has NCCL_TEST=1 cannot work
refuse_test_variable() {
  in_site sh -c 'mkdir -p /etc/slipway && /opt/slipway/bin/slipway node describe --json >/etc/slipway/node.json'
  in_site python3 - <<'P'
import json
profile = json.load(open("/etc/slipway/node.json"))
profile["transport"]["fatal"].append({"variable": "NCCL_TEST", "value": "1", "why": "NCCL_TEST=1 cannot work"})
json.dump(profile, open("/etc/slipway/node.json", "w"))
P
}

@test "site: a job that cannot work ends when its program starts, with the reason" {
  refuse_test_variable
  run as_someone env NCCL_TEST=1 slipway run -- srun --nodelist=here sh -c 'sleep 20; echo started'
  [ "$status" -ne 0 ]
  [[ "$output" == *"this job cannot work: "*"NCCL_TEST=1 cannot work"* && "$output" != *started* ]]
  run -0 as_someone env NCCL_TEST=1 slipway run --nccl-env warn -- srun --nodelist=here echo started
  [[ "$output" == *started* ]]
  in_site rm -r /etc/slipway
}

# Before the task has become the user's program, it is root's.
@test "site: of a job that cannot work, only its task is killed, not what has its number later" {
  refuse_test_variable
  as_someone true
  in_site sh -c 'cd / && export NCCL_TEST=1 CUDA_VISIBLE_DEVICES=0 SLURM_HET_SIZE=2 && echo $$ >"$0/task"
    setpriv --reuid someone --clear-groups /opt/slipway/bin/slipway job prepare --task-prolog >"$0/said" || true' "$SITE"
  in_site sh -c 'cd / && read -r task <"$0/task" && echo $((task - 1)) >/proc/sys/kernel/ns_last_pid
    setpriv --reuid someone --clear-groups sleep 300 &
    echo "$!" >"$0/other"' "$SITE"
  in_site cat "$SITE/said" "$SITE/task" "$SITE/other"
  in_site grep "this job cannot work" "$SITE/said"
  in_site cmp "$SITE/task" "$SITE/other"
  nobody_waits() { ! in_site pgrep --full task-prolog; }
  wait_for nobody_waits
  in_site grep "^State:.S (sleeping)" "/proc/$(in_site cat "$SITE/other")/status"
  in_site kill "$(in_site cat "$SITE/other")"
  in_site rm -r /etc/slipway
}

@test "site: run says what it cannot do" {
  run -2 as_someone slipway run -- mpirun true
  [[ "$output" == *'eval "$(slipway job prepare)"'* ]]
  run -2 as_someone slipway run -- srun --task-prolog=/bin/true true
  [[ "$output" == *"SLURM_TASK_PROLOG"* ]]
  run -1 as_someone slipway run --nccl-env no -- srun true
  [[ "$output" == *"--nccl-env"* ]]
}

@test "site: jobs are checked once Slurm has read its files and slurmd was restarted, where describe asks for it, and doctor says when they are not" {
  run in_site $SLIPWAY cluster describe --apply --yes --nodes here
  [[ "$output" == *"Slurm has read its files"* ]]
  in_site scontrol show config | grep "HealthCheckProgram .*/libexec/slipway/health"
  if [ "$status" != 0 ]; then
    [[ "$output" == *"here: restart slurmd yourself: "*"slurmd restarted on 0 of 0 nodes"* && "$output" != *"Exited with exit code"* ]] || { echo "$output" && false; }
    run in_site $SLIPWAY doctor node
    [[ "$output" == *"slurmd started before plugstack.conf named it"* ]]
    in_site sh -c 'pkill -x slurmd; while pgrep -x --runstates R,S,D slurmd >/dev/null; do sleep 0.1; done
      slurmd -N here 2>/dev/null || slurmd'
  fi
  # slurmd loads its plugins a moment after it starts
  wait_for in_site sh -c '/opt/slipway/bin/slipway doctor node | grep -A2 node_health.so | grep -q /opt/slipway/'
  in_site sh -c 'rm -rf /var/lib/slipway/health && srun --nodelist=here true && ls /var/lib/slipway/health'
}
