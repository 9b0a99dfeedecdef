#include "launcher/node/service_record.h"

#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::node;

TEST_CASE("service records: reads what was written, the latest for each service") {
  TemporaryDirectory dir;
  const std::chrono::system_clock::time_point when(std::chrono::milliseconds(1763830000123));
  write_service_record(dir.path(), "munged", {true, when, ""});
  write_service_record(dir.path(), "slurmctld", {true, when, ""});
  write_service_record(dir.path(), "slurmctld", {false, when, "signal 9"});
  CHECK(read_file(dir / "services") ==
        "munged runs 1763830000123\n"
        "slurmctld ended 1763830000123 signal 9\n");
  const auto records = read_service_records(dir.path());
  REQUIRE(records.size() == 2);
  CHECK(records.at("munged").runs);
  CHECK_FALSE(records.at("slurmctld").runs);
  CHECK(records.at("slurmctld").how == "signal 9");
  CHECK(records.at("slurmctld").since == when);
}

TEST_CASE("service records: skips invalid lines, and an invalid file has none") {
  TemporaryDirectory dir;
  CHECK(read_service_records(dir.path()).empty());
  write_file(dir / "services", "slurmd\nslurmd walks 1\nslurmd runs soon\n\nmunged runs 5\n");
  CHECK(read_service_records(dir.path()).size() == 1);
}

TEST_CASE("service records: ignores a folder that cannot be written") {
  CHECK_NOTHROW(write_service_record("/proc/nowhere", "slurmd", {true, {}, ""}));
}
