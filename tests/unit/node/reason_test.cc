#include "launcher/node/reason.h"

#include "tests/unit/catch.h"

using namespace slipway::node;
using namespace std::chrono_literals;

TEST_CASE("reason: lasts for the longest SuspendTimeout of the partitions") {
  CHECK(longest_suspend_timeout(
            "PartitionName=a SuspendTime=300 SuspendTimeout=120 ResumeTimeout=300\n"
            "PartitionName=b SuspendTimeout=7 SuspendTime=2\n") == 120s);
}

TEST_CASE("reason: lasts half a minute if no partition has a SuspendTimeout") {
  CHECK(longest_suspend_timeout("PartitionName=a State=UP\n") == 30s);
  CHECK(longest_suspend_timeout("PartitionName=a SuspendTimeout=UNLIMITED\n") == 30s);
  CHECK(longest_resume_timeout("PartitionName=a SuspendTimeout=120 ResumeTimeout=300\n") == 300s);
  CHECK(longest_resume_timeout("PartitionName=a SuspendTimeout=120\n") == 60s);
}

TEST_CASE("reason: is one line, short enough for Slurm and a command") {
  CHECK(reason_for_slurm("a\nb\tc\x1b[31m") == "a b c [31m");
  const std::string cut = reason_for_slurm(std::string(399, 'x') + "ü" + std::string(1 << 20, 'y'));
  CHECK(cut == std::string(399, 'x') + "...");
}
