# Nodes of trainings with fast checkpoints lose power at a hundred seeded moments; takes an hour. Other moments:
# SLIPWAY_TEST_SEED; fewer or more: SLIPWAY_TEST_MOMENTS, and SLIPWAY_TEST_TORCH_MOMENTS for those with PyTorch.

# bats file_tags=apart
load helper

setup_file() { deploy st-kills --nodes a3mega_nodeset=12; }

teardown_file() { slipway destroy st-kills; }

kills() { as_tester "$TOP/tests/system/kill_nodes.py" "$SUITE/prefix/bin/slipway" st-kills stkills-a3meganodeset "$@" >&3; }

@test "soak: losses stay equal to the last bit, whenever one node or two are lost" { kills "${SLIPWAY_TEST_MOMENTS:-100}" "${SLIPWAY_TEST_SEED:-1}"; }
@test "soak: losses of PyTorch stay equal to the last bit, whenever one node or two are lost" { kills "${SLIPWAY_TEST_TORCH_MOMENTS:-10}" "${SLIPWAY_TEST_SEED:-2}" --torch; }
