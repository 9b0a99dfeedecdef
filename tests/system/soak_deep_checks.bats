# health_deep.bats with 1,000 jobs that race for each moment at which a node looks free.

# bats file_tags=apart
load helper
load health_helper
load deep_checks_helper

NAME=st-soakdeep
N=stsoakdeep-a3meganodeset

setup_file() { deep_checks_blueprint >"$BATS_FILE_TMPDIR/health-deep.yaml"; }

teardown_file() { slipway destroy $NAME; }

@test "deep checks: at a deploy, no job of 1,000 gets a node before it has passed" { deploys_in_a_race 1000; }

@test "deep checks: a node that loses power twice gets none of 1,000 waiting jobs before it has passed" { survives_power_losses 1000; }
