# For tests that run the same job in Slurm and as pods: a cluster with GPUs whose transport is the same in both.

load helper

# shellcheck disable=SC2034  # for deploy
BLUEPRINT=$BATS_TEST_DIRNAME/job_run.yaml

# deploy_for_pods: the cluster, and a program that writes the environment of a task
deploy_for_pods() {
  export FILES=$SUITE/pods # which the tester can read
  mkdir -p "$FILES"
  deploy "$NAME"
  write_program /home/show <<'PROGRAM'
#!/usr/bin/python3
# Writes the environment of a task.
import json, os, pathlib
folder = pathlib.Path("/home/seen") / ("pods" if "JOBSET_NAME" in os.environ else "slurm")
folder.mkdir(parents=True, exist_ok=True)
(folder / f"{os.environ['SLURM_STEP_ID']}.{os.environ['SLURM_PROCID']}").write_text(json.dumps(dict(os.environ)))
PROGRAM
  on "$NAME" login sh -c 'mkdir /home/example /home/programs
    bash -lc env | sed "s/=.*//" >/home/of-login
    cp /home/show /home/example/train.py
    for name in all_gather_perf all_reduce_perf bandwidth_scan; do cp /home/show "/home/programs/$name"; done'
}

# The shared file system, as the host sees it.
home() { echo "$(deployments_folder)/$NAME/shared/homefs"; }

# in_slurm SCRIPT [NAME=VALUE...]: prints the number of the job, which has completed. `sbatch --wait` would ask every few seconds only.
in_slurm() {
  local script=$1 id
  shift
  on "$NAME" login sh -c 'cat >/home/job.sbatch' <"$script"
  id=$(on "$NAME" login sh -c 'cd /home; exec env -i PATH="$PATH" HOME=/root USER=root "$@" sbatch --parsable --output=/home/job.out job.sbatch' sh "$@")
  has_ended() { ! on "$NAME" login squeue --noheader --format=%T --job "$id" 2>/dev/null | grep -q .; }
  wait_for has_ended
  on "$NAME" login scontrol show job "$id" | grep -q JobState=COMPLETED && echo "$id"
}

# in_pods SCRIPT [option of convert...]
in_pods() {
  local script=$1
  shift
  slipway job convert --blueprint "$SUITE/quickstart.yaml" "$@" "$script" >"$FILES/job.yaml" || return 1
  # Ports and folders follow from the job's number.
  [ -z "${NUMBER:-}" ] || sed -i "/name: SLURM_JOB_ID/{n;s/\".*\"/\"$NUMBER\"/}" "$FILES/job.yaml"
  slipway job run --target local --deployment "$NAME" "$FILES/job.yaml"
}

# has_same_environment SCRIPT [NAME=VALUE...] [-- option of compare...]
has_same_environment() {
  local script=$1 NUMBER variables=() options=()
  shift
  while [ $# -gt 0 ] && [ "$1" != -- ]; do variables+=("$1"); shift; done
  for variable in "${variables[@]}"; do options+=(--env "$variable"); done
  on "$NAME" login rm -rf /home/seen
  NUMBER=$(in_slurm "$script" "${variables[@]}") || { on "$NAME" login cat /home/job.out && return 1; }
  in_pods "$script" --image registry.example/test:1 "${options[@]}" || return 1
  "$BATS_TEST_DIRNAME/job_environment.py" compare "$(home)/seen/slurm" "$(home)/seen/pods" "$(home)/of-login" "${@:2}"
}
