# Two hundred random job scripts: their tasks have the same environment in Slurm and in pods.
#
#   RANDOM_SCRIPTS=200 RANDOM_SCRIPTS_SEED=2 tests/system/run.py tests/system/soak_job_environment.bats

# bats file_tags=apart
load job_run_helper

NAME=st-podsoak

setup_file() { deploy_for_pods; }

teardown_file() { slipway destroy $NAME; }

@test "job run: random scripts have the same environment as in Slurm" {
  "$BATS_TEST_DIRNAME/job_environment.py" scripts "${RANDOM_SCRIPTS:-200}" "${RANDOM_SCRIPTS_SEED:-2}" "$FILES/scripts"
  for script in "$FILES"/scripts/*; do
    has_same_environment "$script" || { cat "$script" && false; }
  done
}
