#include "launcher/node/reason.h"

#include "tests/unit/catch.h"

using namespace slipway::node;
using namespace std::chrono_literals;

TEST_CASE("reason: it stands for the longest SuspendTimeout of the partitions") {
  CHECK(longest_suspend_timeout(
            "PartitionName=a SuspendTime=300 SuspendTimeout=120 ResumeTimeout=300\n"
            "PartitionName=b SuspendTimeout=7 SuspendTime=2\n") == 120s);
}

TEST_CASE("reason: half a minute where no partition says how long") {
  CHECK(longest_suspend_timeout("PartitionName=a State=UP\n") == 30s);
  CHECK(longest_suspend_timeout("PartitionName=a SuspendTimeout=UNLIMITED\n") == 30s);
}
