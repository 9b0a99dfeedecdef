# slipway job run: JobSets on a local cluster do what their scripts do in Slurm.

# bats file_tags=user
bats_require_minimum_version 1.5.0
load job_run_helper

NAME=st-pods
N=stpods-gpunodes
EXAMPLES=/opt/slipway/share/slipway/examples

setup_file() { deploy_for_pods; }

teardown_file() { slipway destroy $NAME; }

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

@test "job run: what does not fit the cluster or the interpreter is refused" {
  printf '#!/bin/bash\n#SBATCH --gpus-per-node=8\nsrun true\n' >"$FILES/gpus.sbatch"
  run in_pods "$FILES/gpus.sbatch" --image registry.example/test:1 --machine-type a3-megagpu-8g
  fails_with 1 "the 1 pods want cloud.google.com/gke-accelerator=nvidia-h100-mega-80gb and 8 GPUs, and 0 of the 3 nodes that run have that"
  sed '/backoffLimit/s/.*/        manualSelector: true/' "$FILES/job.yaml" >"$FILES/odd.yaml"
  run slipway job run --deployment $NAME "$FILES/odd.yaml"
  fails_with 1 "does not know \`manualSelector\`"
  run -2 slipway job run --target google "$FILES/odd.yaml"
}
