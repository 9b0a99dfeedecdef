// Tests of what scontrol says about registered nodes.
#include "launcher/local/wait_for_nodes.h"

#include "tests/unit/catch.h"

using namespace slipway::local;

TEST_CASE("wait for nodes: when each slurmd was started") {
  // Slurm 24.11, shortened.
  const auto starts = slurmd_starts(
      "NodeName=q-a-0 Arch=x86_64 State=IDLE BootTime=1764374000 SlurmdStartTime=1764374352 "
      "LastBusyTime=1764374353 Reason=odd NodeName=x SlurmdStartTime=1 [root@1764374352]\n"
      "NodeName=q-a-1 State=DOWN* BootTime=None SlurmdStartTime=None LastBusyTime=1764374353\n");
  CHECK(starts == std::map<std::string, int64_t>{{"q-a-0", 1764374352}});
  CHECK(slurmd_starts("").empty());
  CHECK(slurmd_starts("Node q-a-9 not found\n").empty());
}
