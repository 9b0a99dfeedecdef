# Node health in a real Slurm: faults are injected, nodes drain, jobs go elsewhere, nodes come back.

# bats file_tags=long
load helper
load health_helper

NAME=st-health
N=sthealth-a3meganodeset

setup_file() {
  BLUEPRINT=$BATS_FILE_TMPDIR/health.yaml
  { cat "$TOP/examples/quickstart.yaml" && echo '      health_policy: {limits: {gpu_celsius: 85}}'; } >"$BLUEPRINT"
  deploy $NAME
  # We run the checks by hand, except in the last test.
  slurm_checks_every 0
}

teardown_file() { slipway destroy $NAME; }

# A failed test leaves no fault to the next.
teardown() {
  [ -z "${BATS_TEST_COMPLETED:-}" ] || return 0
  local i
  for i in 0 1 2 3; do
    fault $N-$i clear
    no_policy $N-$i
    on $NAME $N-$i /opt/slipway/bin/slipway health clear
    on $NAME controller scontrol update NodeName=$N-$i State=RESUME
  done || true
}

# policy NODE < TEXT: the site's own policy file
policy() { on $NAME "$1" sh -c 'cat >/etc/slipway/health.yaml'; }

no_policy() { on $NAME "$1" rm -f /etc/slipway/health.yaml; }

# bats test_tags=user
@test "health: healthy nodes are healthy, and the verdict matches its schema" {
  local i
  for i in 0 3; do
    run on $NAME $N-$i /opt/slipway/bin/slipway health
    says "node $N-$i: "
    on $NAME $N-$i /opt/slipway/bin/slipway health --json >"$BATS_TEST_TMPDIR/verdict.json"
    python3 "$TOP/tests/schemas/validate.py" "$TOP/docs/schemas/health-1.schema.json" "$BATS_TEST_TMPDIR/verdict.json"
    grep -q '"fit": true' "$BATS_TEST_TMPDIR/verdict.json"
  done
  run on $NAME login sh -c 'srun --nodes=4 hostname | wc -l'
  says 4
  # What Slurm did when the nodes started has drained nothing.
  all_idle() { [ "$(on $NAME controller sinfo --noheader --format=%T)" = idle ]; }
  wait_for all_idle
}

@test "health: the report of all nodes and the policy are JSON that matches their schemas" {
  local keeps=("$TOP/tests/schemas/validate.py" "$TOP/docs/schemas")
  fault $N-2 gpu-ecc 5 2
  on $NAME $N-2 sh -c '/opt/slipway/bin/slipway health; [ $? -eq 3 ]'
  slipway health report $NAME --json >"$BATS_TEST_TMPDIR/report.json"
  python3 "${keeps[0]}" "${keeps[1]}/health-report-1.schema.json" "$BATS_TEST_TMPDIR/report.json"
  run python3 -c 'import json, sys; print([(one["node"], one["fit"]) for one in json.load(sys.stdin)["nodes"]][0])' <"$BATS_TEST_TMPDIR/report.json"
  [ "$output" = "('$N-2', False)" ]
  run slipway health report $NAME --detailed-exitcode
  [ "$status" -eq 3 ]
  slipway health policy --json >"$BATS_TEST_TMPDIR/policy.json"
  python3 "${keeps[0]}" "${keeps[1]}/health-policy-1.schema.json" "$BATS_TEST_TMPDIR/policy.json"
  fault $N-2 clear
}

# bats test_tags=user
@test "health: a GPU breaks, the job goes to another node, and the node returns when the GPU is good again" {
  fault $N-0 gpu-ecc 5 2
  job_is_moved_from $N-0
  wait_for node_is $N-0 drained
  run reason_of $N-0
  [ "$output" = "gpu_ecc GPU5 0000:09:00.0: 2 uncorrectable memory errors [node_problem] (slipway health) Action:Reboot" ]
  # What every user sees first.
  run on $NAME controller sinfo -R
  says "gpu_ecc GPU5 0000:09 "
  look $N-0 || [ $? -eq 3 ]
  node_is $N-0 drained
  fault $N-0 clear
  run look $N-0
  says "1 of 2 clean checks"
  node_is $N-0 drained
  run look $N-0
  says resumed
  wait_for node_is $N-0 idle
}

# bats test_tags=thorough
@test "health: each fault of a GPU, of NVML and of the kernel is noticed, drains, and is undone" {
  local words check line
  while IFS='|' read -r words check; do
    # shellcheck disable=SC2086  # several words
    fault $N-1 $words
    run look $N-1
    [ "$status" -eq 3 ] || { echo "not noticed: $words: $output" >&2 && return 1; }
    line=$(reason_of $N-1)
    [[ "$line" == "$check" ]] || { echo "$words: $line" >&2 && return 1; }
    fault $N-1 clear
    on $NAME $N-1 /opt/slipway/bin/slipway health clear
    serves_again $N-1
  done <<'TABLE'
gpu-missing 3|gpu_count GPUs: 7 of 8 found [node_problem] (slipway health) Action:Reboot
gpu-lost 3|gpu_count GPU3: GPU is lost [node_problem] (slipway health) Action:Reboot
gpu-xid 3 79|Xid79 GPU3 0000:07:00.0: GPU has fallen off the bus [node_problem] (slipway health) Action:Reboot
gpu-remap-failed 2|gpu_rows GPU2 0000:06:00.0: a memory row could not be remapped [node_problem] (slipway health) Action:Replace
gpu-pages 2 61|gpu_pages GPU2 0000:06:00.0: 61 memory pages retired [node_problem] (slipway health) Action:Replace
gpu-nvlink 6 17|gpu_nvlink GPU6 0000:0a:00.0: NVLink 17 is down [node_problem] (slipway health) Action:Reboot
gpu-pcie-width 0 8|gpu_pcie GPU0 0000:04:00.0: PCIe x8, expected x16 [node_problem] (slipway health) Action:Replace
gpu-pcie-gen 0 4|gpu_pcie GPU0 0000:04:00.0: PCIe generation 4, expected 5 [node_problem] (slipway health) Action:Replace
gpu-celsius 1 95|gpu_temperature GPU1 0000:05:00.0: 95 °C [node_problem] (slipway health)
gpu-recovery 1 2|gpu_recovery GPU1 0000:05:00.0: node-reboot [node_problem] (slipway health) Action:Reboot
nvml-mismatch|gpu_driver NVML: Driver/library version mismatch [node_problem] (slipway health) Action:Reboot
kernel-log oops|kernel_log kernel: page fault in the kernel [node_problem] (slipway health) Action:Reboot
disk-full /var/spool/slurmd|disk /var/spool/slurmd: 0 MiB free [node_problem] (slipway health)
TABLE
}

@test "health: the blueprint's policy applies on its nodes" {
  fault $N-2 gpu-celsius 4 86
  run on $NAME $N-2 /opt/slipway/bin/slipway health
  fails_with 3 "gpu_temperature GPU 4 0000:08:00.0: 86"
  policy $N-2 <<<'limits: {gpu_celsius: 90}'
  run on $NAME $N-2 /opt/slipway/bin/slipway health
  says "node $N-2: "
  no_policy $N-2
  fault $N-2 clear
}

@test "health: what a job or its user can cause is reported but drains nothing" {
  local words finding
  while IFS='|' read -r words finding; do
    # shellcheck disable=SC2086
    fault $N-2 $words
    run look $N-2 --json
    says "\"finding\": \"$finding\""
    fault $N-2 clear
  done <<'TABLE'
gpu-xid 0 31|gpu-xid
gpu-throttled 4|gpu-throttled
gpu-watts 4 400|gpu-power-limited
gpu-unloads 4|gpu-persistence-off
gpu-replays 4 101|pcie-replays
gpu-ecc-corrected 4 1001|gpu-ecc-corrected
kernel-log stall|kernel-stall
disk-full /tmp|scratch-full
TABLE
  look $N-2
  node_is $N-2 idle
}

@test "health: a program named like an Xid or a kernel fault drains nothing" {
  local name file
  while IFS='|' read -r name file; do
    crash_as_a_user $N-2 "$name" "$file"
    # The record is there, as the kernel wrote it.
    on $NAME $N-2 grep -F "${name}[" /dev/kmsg | grep -F "error 6 in ${file}["
    run look $N-2 --json
    says '"fit": true'
    lacks -E '"(check|finding)": "(gpu_xid|gpu-xid|kernel_log|kernel-fault)"'
    node_is $N-2 idle
  done <<'TABLE'
NVRM: Xid (PCI:|x): 79, y
NVRM: Xid (PCI:|0000:07:00): 79, pid=1
Kernel panic - |not syncing: x
Oops: 0002 [#1]|Oops: 0002 [#1] SMP
EXT4-fs error (|device sda1): x
TABLE
  # A record from the driver is found in the same log.
  fault $N-2 gpu-xid 3 31
  run look $N-2 --json
  says '"finding": "gpu-xid"'
  fault $N-2 clear
}

@test "health: a process stuck on a job's GPU drains before the job, a running one only degrades" {
  fault $N-0 gpu-process 0 1
  run on $NAME $N-0 env SLURM_JOB_GPUS=0 /opt/slipway/bin/slipway health --stage prolog --json
  says '"finding": "gpu-busy"'
  fault $N-0 clear
  fault $N-0 gpu-process 0 4194304
  run on $NAME $N-0 env SLURM_JOB_GPUS=0 /opt/slipway/bin/slipway health --stage prolog --json
  fails_with 3 '"finding": "gpu-stuck"'
  run on $NAME $N-0 env SLURM_JOB_GPUS=1 /opt/slipway/bin/slipway health --stage prolog
  says "node $N-0: "
  fault $N-0 clear
}

@test "health: an interface without its cable is reported; Slurm cannot learn of it until it is back" {
  fault $N-3 link-down enp0s12
  run on $NAME $N-3 /opt/slipway/bin/slipway health
  fails_with 3 "nic_link enp0s12: no carrier"
  fault $N-3 clear
  look $N-3
}

@test "health: a driver that hangs gets its own verdict, and costs its deadline" {
  policy $N-3 <<<'deadlines: {periodic: 4}'
  fault $N-3 nvml-hang
  # A check that got no CPU time before its deadline does not blame the driver.
  is_blamed() { run look $N-3 && [ "$status" -eq 3 ]; }
  wait_for is_blamed
  fails_with 3 "gpu gpu: nvmlInit took longer than 2.0 s"
  [[ "$(reason_of $N-3)" == *"Action:Reboot" ]]
  fault $N-3 clear
  no_policy $N-3
  serves_again $N-3
}

@test "health: a GPU that breaks during a job is found after it, and increased counters are reported" {
  on $NAME login sbatch --nodelist=$N-2 --output=/home/broken.out --wrap 'touch /home/begun; until [ -e /home/end ]; do sleep 0.1; done; echo done'
  wait_for on $NAME login test -e /home/begun
  fault $N-2 gpu-replays 4 7
  fault $N-2 gpu-remap-failed 4
  on $NAME login touch /home/end
  wait_for node_is $N-2 drained
  [ "$(on $NAME login cat /home/broken.out)" = done ]
  [[ "$(reason_of $N-2)" == *"gpu_rows GPU4 "* ]]
  on $NAME $N-2 cat /var/lib/slipway/health/last.json >"$BATS_TEST_TMPDIR/last.json"
  grep -q '"stage": "epilog"' "$BATS_TEST_TMPDIR/last.json"
  grep -q '"gpu_pcie_replays/GPU 4 0000:08:00.0": 7' "$BATS_TEST_TMPDIR/last.json"
  fault $N-2 clear
  serves_again $N-2
}

@test "health: another person's drain stays" {
  on $NAME controller scontrol update NodeName=$N-1 State=DRAIN Reason=maintenance
  look $N-1 && look $N-1 && look $N-1
  node_is $N-1 drained
  [ "$(reason_of $N-1)" = maintenance ]
  on $NAME controller scontrol update NodeName=$N-1 State=RESUME
}

@test "health: an invalid policy drains nothing, whatever is broken" {
  policy $N-0 <<<'findings: {gpu-hott: drain}'
  fault $N-0 gpu-lost 1
  run look $N-0
  fails_with 1 'did you mean `gpu-hot`?'
  on $NAME login srun --nodelist=$N-0 true
  wait_for node_is $N-0 idle
  no_policy $N-0
  fault $N-0 clear
}

@test "health: a job can skip the checks only if the policy allows it" {
  fault $N-0 gpu-celsius 1 95
  policy $N-0 <<<'jobs_may_skip: true'
  run on $NAME login srun --health=skip --nodelist=$N-0 hostname
  says "$N-0"
  [ "$(reason_of $N-0)" = none ]
  no_policy $N-0
  run on $NAME login timeout 20 srun --health=skip --nodelist=$N-0 --immediate=15 hostname
  [ "$status" -ne 0 ]
  wait_for node_is $N-0 drained
  fault $N-0 clear
  serves_again $N-0
  run on $NAME login srun --health=of true
  [ "$status" -ne 0 ]
  [[ "$output" == *'--health has no value `of`'* ]]
}

@test "health: nodes that fail the same srun come back, and slurmd repeats nothing about them" {
  local i
  for i in 1 2; do fault $N-$i gpu-celsius 1 95; done
  run on $NAME login timeout 110 srun --nodes=4 hostname
  [ "$status" -ne 0 ]
  for i in 1 2; do
    [[ "$output" == *"Prolog failure on node $N-$i: "*"95 °C"* ]] || { echo "srun said: $output" && return 1; }
  done
  for i in 1 2; do
    wait_for node_is $N-$i drained
    fault $N-$i clear
    serves_again $N-$i
    # What slurmctld answers with its own drain, 15 s later: see launcher/health/prolog_job.h.
    run on $NAME $N-$i cat /var/log/slurm/slurmd.log
    lacks "Retrying prolog complete"
  done
  run on $NAME login srun --nodes=4 true
  [ "$status" -eq 0 ]
}

@test "health: a node whose prolog failed serves again, though it lost its power" {
  local history="$(deployments_folder)/$NAME/health/$N-2/history.json" before
  fault $N-2 gpu-xid 1 79
  # As for a job that ends while its prolog runs: nobody is left to tell, so the prolog fails.
  run on $NAME $N-2 env SLURM_JOB_ID=4000000000 /opt/slipway/bin/slipway health --stage prolog --act
  [ "$status" -ne 0 ]
  on $NAME controller scontrol update NodeName=$N-2 State=DRAIN 'Reason=Prolog error'
  before=$(grep -o '"boot": *"[^"]*"' "$history")
  fault $N-2 power-off
  fault $N-2 clear
  serves_again $N-2
  [ "$(grep -o '"boot": *"[^"]*"' "$history")" != "$before" ]
  grep -q '"prolog_failed": *[1-9]' "$history"
}

@test "health: a node that Slurm drained for a job that it sent twice serves again when nothing runs there" {
  wait_for node_is $N-1 idle # with a completing job it would be draining
  on $NAME controller scontrol update NodeName=$N-1 State=DRAIN 'Reason=Duplicate jobid'
  node_is $N-1 drained
  serves_again $N-1
}

@test "health: a node that Slurm drained for a step that did not end serves again when all its processes have" {
  wait_for node_is $N-1 idle
  # A file system without answers: a process that opens a file there cannot be killed.
  write_program /home/unanswering <"$BATS_TEST_DIRNAME/unanswering_mount.py"
  on $NAME $N-1 sh -c 'cd /run && mkdir -p unanswering && { python3 /home/unanswering unanswering >mounted 2>&1 & echo $! >server; } &&
    until grep mounted mounted; do sleep 0.1; done && { cat unanswering/file >opened 2>&1 & } &&
    until grep asked mounted; do sleep 0.1; done && kill -KILL $!' 3>&-
  on $NAME controller scontrol update NodeName=$N-1 State=DRAIN 'Reason=Kill task failed'
  for _ in 1 2 3; do look $N-1; done
  node_is $N-1 drained
  on $NAME $N-1 sh -c 'cd /run && kill $(cat server) && umount --lazy unanswering'
  serves_again $N-1
}

@test "health: a slurmd that has read its files again, which 24.11 does by executing itself, is still found" {
  wait_for node_is $N-1 idle
  on $NAME controller scontrol reconfigure
  # By another name in Debian: slurmd-wlm.
  wait_for look $N-1
  run look $N-1
  lacks "slurmd"
  run on $NAME login srun --nodelist=$N-1 true
  [ "$status" -eq 0 ]
}

@test "health: a node with an invalid profile reports it, checks the rest, and gets jobs" {
  on $NAME $N-1 sed -i.right 's/"count": 8/"count": -1/' /etc/slipway/node.json
  run look $N-1
  says "degrade: profile node: /etc/slipway/node.json is not a node profile: \`gpus.count\` is -1, expected a whole number from 0 to 1024"
  node_is $N-1 idle
  run on $NAME controller scontrol show node $N-1
  says "Comment=slipway health: "
  on $NAME $N-1 mv /etc/slipway/node.json.right /etc/slipway/node.json
  look $N-1
}

# bats test_tags=user
@test "health: a user can neither act nor keep anything" {
  run slipway exec $NAME $N-0 --user nobody -- /opt/slipway/bin/slipway health --act
  fails_with 1 "--act needs root"
  run slipway exec $NAME $N-0 --user nobody -- /opt/slipway/bin/slipway health clear
  fails_with 1 "this needs root"
  run slipway exec $NAME $N-0 --user nobody -- /opt/slipway/bin/slipway health
  says "node $N-0: "
}

@test "breaker: if all nodes break at once, two are drained, and the others raise an alarm and serve" {
  local i
  for i in 0 1 2 3; do fault $N-$i gpu-remap-failed 0; done
  for i in 0 1 2 3; do look $N-$i >"$BATS_TEST_TMPDIR/$i" & done
  wait
  [ "$(on $NAME controller sinfo --noheader --Node --format='%T' | grep -c drained)" -eq 2 ]
  [ "$(cat "$BATS_TEST_TMPDIR"/? | grep -c 'ALARM: not drained')" -eq 2 ]
  [ "$(on $NAME controller scontrol show nodes | grep -c 'Comment=slipway health: ALARM')" -eq 2 ]
  run on $NAME login srun --nodes=2 hostname
  [ "$status" -eq 0 ]
  for i in 0 1 2 3; do fault $N-$i clear; done
  for i in 0 1 2 3; do serves_again $N-$i; done
  [ "$(on $NAME controller scontrol show nodes | grep -c 'Comment=slipway health')" -eq 0 ]
}

@test "health: Slurm checks, drains and resumes nodes by itself" {
  # All nodes at once: Slurm takes ten seconds for each round.
  sed -i 's/^HealthCheckNodeState=.*/HealthCheckNodeState=ANY/' "$(deployments_folder)/$NAME/slurm/slurm.conf"
  slurm_checks_every 1
  fault $N-3 gpu-nvlink 0 0
  wait_for node_is $N-3 drained
  fault $N-3 clear
  # Slurm marks it as not responding until it next contacts it.
  resumed() { node_is $N-3 idle || node_is $N-3 'idle*'; }
  wait_for resumed
}
