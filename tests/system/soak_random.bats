# A cluster lives for SLIPWAY_TEST_MINUTES with jobs, faults, kills and redeploys at random (random_life.py), by the seed in
# SEED: nothing leaks, no node is lost for good, and slurmctld answers as fast as at first. Watch it in build/soak_random.log.

# bats file_tags=apart
load helper

NAME=st-random
COUNT=${SLIPWAY_TEST_NODES:-64}

setup_file() {
  BEFORE=$(host_state) && export BEFORE
  deploy $NAME --nodes a3mega_nodeset="$COUNT"
}

teardown_file() { destroy_all $NAME; }

@test "random: a cluster lives through jobs, faults, kills and redeploys, and nothing is left of it" {
  as_tester "$TOP/tests/system/random_life.py" "$SUITE/prefix/bin/slipway" $NAME "$SUITE/quickstart.yaml" "$(supervisor_of $NAME)" \
    "$COUNT" $((60 * ${SLIPWAY_TEST_MINUTES:-15})) "${SEED:-$RANDOM}" > >(tee "$TOP/build/soak_random.log" >&3)
  slipway destroy $NAME
  nothing_is_left
}
