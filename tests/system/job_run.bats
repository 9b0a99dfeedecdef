# slipway job run: JobSets on a local cluster do what their scripts do in Slurm.

# bats file_tags=user
bats_require_minimum_version 1.5.0
load job_run_helper

NAME=st-pods
N=stpods-gpunodes
EXAMPLES=/opt/slipway/share/slipway/examples

setup_file() { deploy_for_pods; }

teardown_file() { slipway destroy $NAME; }

# runs_nowhere PATTERN: no node has a process with such a command line
runs_nowhere() {
  local node
  for node in 0 1 2; do
    run on $NAME $N-$node pgrep -f "$1"
    [ "$status" -eq 1 ]
  done
}

# bats test_tags=thorough
@test "job run: random scripts have the same environment as in Slurm" {
  "$BATS_TEST_DIRNAME/job_environment.py" scripts 4 "${RANDOM_SCRIPTS_SEED:-1}" "$FILES/scripts"
  for script in "$FILES"/scripts/*; do
    has_same_environment "$script" || { cat "$script" && false; }
  done
}

@test "job run: so have the examples that run on CPUs" {
  has_same_environment "$TOP/examples/bandwidth/cpu.sbatch" BANDWIDTH_PROGRAMS=/home/programs BANDWIDTH_EXAMPLES=$EXAMPLES/bandwidth
  sed 's/--nodes=4/--nodes=3/' "$TOP/examples/train/cpu.sbatch" >"$FILES/train.sbatch"
  has_same_environment "$FILES/train.sbatch" TRAIN_EXAMPLE=/home/example -- --launch
}

@test "job run: examples/train has the same losses as in Slurm, to the last bit" {
  local training="--steps 20 --every 10 --batch 4 --context 32 --width 32 --layers 1 --losses /home"
  sed 's/--nodes=4/--nodes=3/; s/^#SBATCH --requeue//; s|"checkpoints-|"/home/checkpoints-|' "$TOP/examples/train/cpu.sbatch" >"$FILES/train.sbatch"
  in_slurm "$FILES/train.sbatch" TRAIN_OPTIONS="$training/slurm.losses" || { on $NAME login cat /home/job.out && false; }
  run in_pods "$FILES/train.sbatch" --image registry.example/train:1 --env TRAIN_OPTIONS="$training/pods.losses"
  says "2 ranks on cpu"
  [ "$(wc -l <"$(home)/slurm.losses")" -eq 20 ]
  diff "$(home)/slurm.losses" "$(home)/pods.losses"
}

@test "job run: a failed pod restarts all, a program that is not there does not" {
  cat >"$FILES/restart.sbatch" <<'SCRIPT'
#!/bin/bash
#SBATCH --nodes=2 --requeue
attempt=${SLURM_RESTART_COUNT:-0}
trap 'echo "told to end in attempt $attempt"; exit 1' TERM
srun sh -c 'trap "echo the task of $SLURM_NODEID ends in $0; exit 1" TERM
  [ "$0" -ge 1 ] && exit 0
  if [ "$SLURM_NODEID" = 1 ]; then until [ -e /home/waits ]; do sleep 0.05; done; exit 3; fi
  touch /home/waits; sleep 1000 & wait' "$attempt"
SCRIPT
  run in_pods "$FILES/restart.sbatch" --image registry.example/test:1
  says "restart-node-0-1 on $N-1 has failed: container tasks ended with 3 (BackoffLimitExceeded)"
  says "all pods start again: 1 of 3 restarts"
  says "restart-node-0-0: the task of 0 ends in 0"
  printf '#!/bin/bash\n#SBATCH --requeue\nsrun /no/such/program\n' >"$FILES/missing.sbatch"
  run in_pods "$FILES/missing.sbatch" --image registry.example/test:1
  fails_with 1 "the JobSet has failed, by the rule \`cannot_start\`"
}

@test "job run: init containers, sidecars, volumes, deadlines" {
  cat >"$FILES/parts.yaml" <<'MANIFEST'
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: parts}
spec:
  failurePolicy:
    rules: [{name: late, action: FailJobSet, onJobFailureReasons: [DeadlineExceeded]}]
  replicatedJobs:
  - name: node
    template:
      spec:
        completions: 1
        completionMode: Indexed
        backoffLimit: 0
        activeDeadlineSeconds: 2
        template:
          spec:
            restartPolicy: Never
            terminationGracePeriodSeconds: 1
            initContainers:
            - {name: daemon, image: a, restartPolicy: Always, command: [sh, -c, "echo up; touch /shared/up; exec sleep 1000"], volumeMounts: [{name: shared, mountPath: /shared}]}
            - {name: waits, image: a, command: [sh, -c, "until [ -e /shared/up ]; do sleep 0.05; done"], volumeMounts: [{name: shared, mountPath: /shared}]}
            containers:
            - name: tasks
              image: a
              command: [sh, -c, "hostname; ls /data /proc | grep -c '^[0-9]*$'; touch /data/x; cat /home/in-claim; sleep 1000"]
              volumeMounts: [{name: home, mountPath: /data, subPath: sets, readOnly: true}, {name: shared, mountPath: /shared}]
            volumes:
            - {name: shared, emptyDir: {}}
            - {name: home, persistentVolumeClaim: {claimName: homefs}}
MANIFEST
  on $NAME login sh -c 'mkdir -p /home/sets; echo from the claim >/home/in-claim'
  run slipway job run --deployment $NAME "$FILES/parts.yaml"
  fails_with 1 "the job has reached its deadline of 2 s"
  fails_with 1 "parts-node-0-0: up"
  fails_with 1 "parts-node-0-0: parts-node-0-0"
  fails_with 1 "touch: cannot touch '/data/x': Read-only file system"
  fails_with 1 "the JobSet has failed, by the rule \`late\`"
  # Nothing is left on the node.
  run on $NAME $N-0 pgrep -f 'sleep 1000'
  [ "$status" -eq 1 ]
}

# set_of NAME [SPEC]: a JobSet from stdin, which has its replicated jobs
set_of() {
  printf 'apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: %s}\nspec:\n%s\n  replicatedJobs:\n' "$1" "${2:-}" >"$FILES/$1.yaml"
  cat >>"$FILES/$1.yaml"
}

run_set() { run slipway job run --deployment $NAME "$FILES/$1.yaml"; }

# before FIRST SECOND: the order of two lines of the output
before() {
  local first second
  first=$(grep -nF -m 1 "$1" <<<"$output") && second=$(grep -nF -m 1 "$2" <<<"$output") && [ "${first%%:*}" -lt "${second%%:*}" ]
}

@test "job run: several replicated jobs start in their order, and find each other by name" {
  set_of duo "  network: {subdomain: net}
  coordinator: {replicatedJob: driver}
  successPolicy: {operator: All, targetReplicatedJobs: [driver]}" <<'MANIFEST'
  - name: prepare
    template: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: a, command: [sh, -c, "sleep 1; echo prepared"]}]}}}}
  - name: workers
    replicas: 2
    dependsOn: [{name: prepare, status: Complete}]
    template:
      spec:
        completions: 2
        parallelism: 2
        template:
          spec:
            restartPolicy: Never
            terminationGracePeriodSeconds: 1
            containers:
            - name: serves
              image: b
              env:
              - {name: NUMBER, valueFrom: {fieldRef: {fieldPath: "metadata.annotations['jobset.sigs.k8s.io/job-global-index']"}}}
              - {name: POD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
              command: [sh, -c, "echo $POD is of job $NUMBER; exec sleep 1234"]
            - {name: watches, image: c, command: [sh, -c, "echo beside; exec sleep 1234"]}
  - name: driver
    dependsOn: [{name: workers, status: Ready}]
    template:
      spec:
        template:
          spec:
            restartPolicy: Never
            containers:
            - name: drives
              image: a
              env: [{name: COORDINATOR, valueFrom: {fieldRef: {fieldPath: "metadata.labels['jobset.sigs.k8s.io/coordinator']"}}}]
              command: [sh, -c, "for name in duo-workers-0-0.net duo-workers-1-1.net.default.svc.cluster.local $COORDINATOR; do getent hosts $name >/dev/null && echo found $name; done; getent hosts duo-workers-1-1 || echo not by its bare name"]
MANIFEST
  run_set duo
  [ "$status" -eq 0 ]
  before "duo-prepare-0-0: prepared" "duo-workers-0-0: duo-workers-0-0 is of job 1"
  before "duo-workers-1-1: duo-workers-1-1 is of job 2" "duo-driver-0-0: found duo-workers-0-0.net"
  says "duo-workers-1-0: beside"
  says "found duo-workers-1-1.net.default.svc.cluster.local"
  says "found duo-driver-0-0.net"
  says "not by its bare name"
  # The driver has completed, so the workers are gone.
  runs_nowhere 'sleep 1234'
}

@test "job run: a rule of the failure policy restarts one job alone" {
  set_of alone "  failurePolicy: {maxRestarts: 1, rules: [{name: of_workers, action: RestartJob, targetReplicatedJobs: [workers]}]}" <<'MANIFEST'
  - name: driver
    template:
      spec:
        template:
          spec:
            restartPolicy: Never
            containers: [{name: a, image: a, command: [sh, -c, "echo the driver starts; until [ -e /data/repaired ]; do sleep 0.05; done"], volumeMounts: [{name: home, mountPath: /data}]}]
            volumes: [{name: home, persistentVolumeClaim: {claimName: homefs}}]
  - name: workers
    replicas: 2
    template:
      spec:
        backoffLimit: 0
        template:
          spec:
            restartPolicy: Never
            containers:
            - name: a
              image: a
              env:
              - {name: JOB, valueFrom: {fieldRef: {fieldPath: "metadata.labels['jobset.sigs.k8s.io/job-index']"}}}
              - {name: ATTEMPT, valueFrom: {fieldRef: {fieldPath: "metadata.labels['jobset.sigs.k8s.io/job-restart-attempt']"}}}
              command: [sh, -c, "echo worker $JOB in attempt $ATTEMPT; [ $JOB = 0 ] && exit 0; [ $ATTEMPT = 0 ] && exit 5; touch /data/repaired"]
              volumeMounts: [{name: home, mountPath: /data}]
            volumes: [{name: home, persistentVolumeClaim: {claimName: homefs}}]
MANIFEST
  on $NAME login rm -f /home/repaired
  run_set alone
  [ "$status" -eq 0 ]
  says "alone-workers-1-0 on $N-2 has failed: container a ended with 5 (BackoffLimitExceeded)"
  says "the job alone-workers-1 starts again, by the rule \`of_workers\`: 1 of 1 restarts"
  says "worker 1 in attempt 1"
  [ "$(grep -c 'the driver starts' <<<"$output")" -eq 1 ]
  [ "$(grep -c 'worker 0 in attempt' <<<"$output")" -eq 1 ]
}

@test "job run: jobs replace failed pods up to their limit, and take turns" {
  set_of again <<'MANIFEST'
  - name: turns
    template:
      spec:
        completions: 3
        parallelism: 1
        backoffLimit: 1
        template:
          spec:
            restartPolicy: Never
            containers: [{name: a, image: a, command: [sh, -c, "echo turn $JOB_COMPLETION_INDEX; [ $JOB_COMPLETION_INDEX != 1 ] || mkdir /data/second"], volumeMounts: [{name: home, mountPath: /data, subPath: again}]}]
            volumes: [{name: home, persistentVolumeClaim: {claimName: homefs}}]
  - name: places
    template:
      spec:
        backoffLimit: 2
        template:
          spec:
            restartPolicy: OnFailure
            containers: [{name: a, image: a, command: [sh, -c, "echo in place $(ls /own | wc -l); mkdir /own/x && exit 4 || exit 0"], volumeMounts: [{name: own, mountPath: /own}]}]
            volumes: [{name: own, emptyDir: {}}]
MANIFEST
  on $NAME login sh -c 'rm -rf /home/again; mkdir -p /home/again/second'
  # The first pod of index 1 fails. The pod that replaces it has room for its folder.
  (sleep 5; on $NAME login rmdir /home/again/second) &
  run_set again
  wait
  [ "$status" -eq 0 ]
  before "turn 0" "turn 1"
  before "turn 1" "turn 2"
  says "again-turns-0-1 on $N-1 has failed: container a ended with 1 (another one starts in 10 s)"
  [ "$(grep -c 'turn 1' <<<"$output")" -eq 2 ]
  says "the container a has ended with 4, and starts again in 10 s"
  says "again-places-0-0: in place 1"
}

@test "job run: a pod has failed when all its containers have ended" {
  set_of both "  failurePolicy: {maxRestarts: 5, rules: [{name: never, action: FailJobSet, onJobFailureReasons: [PodFailurePolicy]}]}" <<'MANIFEST'
  - name: node
    template:
      spec:
        podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {containerName: fails, operator: In, values: [7]}}]}
        template:
          spec:
            restartPolicy: Never
            containers:
            - {name: fails, image: a, command: [sh, -c, "printf part >&2; exit 7"]}
            - {name: goes-on, image: b, command: [sh, -c, "sleep 1; echo at the end"]}
MANIFEST
  run_set both
  fails_with 1 "both-node-0-0: part"
  before "at the end" "both-node-0-0 on $N-0 has failed: container fails ended with 7 (PodFailurePolicy)"
  fails_with 1 "the JobSet has failed, by the rule \`never\`"
}

@test "job run: an interrupted JobSet ends the pods of all its jobs" {
  set_of stopped <<'MANIFEST'
  - {name: first, template: &sleeps {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: a, command: [sh, -c, "echo sleeps; exec sleep 4321"]}]}}}}}
  - {name: second, dependsOn: [{name: first, status: Ready}], template: *sleeps}
MANIFEST
  slipway job run --deployment $NAME "$FILES/stopped.yaml" >"$FILES/stopped.out" 2>&1 3>&- &
  local pid=$!
  wait_for grep -q "stopped-second-0-0: sleeps" "$FILES/stopped.out"
  kill "$(client stopped.yaml)"
  local code=0
  wait "$pid" || code=$?
  [ "$code" -eq 1 ]
  run cat "$FILES/stopped.out"
  says "slipway job run: interrupted"
  runs_nowhere 'sleep 4321'
}

@test "job run: jobs that follow each other can have the same GPUs, others cannot" {
  # gpus [DEPENDS]: two jobs with all GPUs of two nodes
  gpus() {
    local pods='template: {spec: {completions: 2, parallelism: 2, template: {spec: {restartPolicy: Never, containers: [{name: a, image: a, command: ["echo", "ran"], resources: {limits: {nvidia.com/gpu: 2}}}]}}}}'
    printf '  - {name: first, %s}\n  - {name: second, %s%s}\n' "$pods" "${1:-}" "$pods" | set_of gpus
  }
  gpus
  run_set gpus
  fails_with 1 "the 2 pods want 2 GPUs, and 3 of the 3 nodes that run have that; other pods of the JobSet use 2 of them at the same time"
  gpus 'dependsOn: [{name: first, status: Complete}], '
  run_set gpus
  [ "$status" -eq 0 ]
  before "gpus-first-0-1: ran" "gpus-second-0-0: ran"
}

@test "job run: what does not fit the cluster or the interpreter is refused" {
  printf '#!/bin/bash\n#SBATCH --gpus-per-node=8\nsrun true\n' >"$FILES/gpus.sbatch"
  run in_pods "$FILES/gpus.sbatch" --image registry.example/test:1 --machine-type a3-megagpu-8g
  fails_with 1 "the 1 pods want cloud.google.com/gke-accelerator=nvidia-h100-mega-80gb and 8 GPUs, and 0 of the 3 nodes that run have that"
  sed '/backoffLimit/s/.*/        manualSelector: true/' "$FILES/job.yaml" >"$FILES/odd.yaml"
  run slipway job run --deployment $NAME "$FILES/odd.yaml"
  fails_with 1 "does not know \`manualSelector\`"
  run -2 slipway job run --target google "$FILES/odd.yaml"
}
