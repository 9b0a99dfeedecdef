#include "launcher/job/node_health.h"

#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::job;
using Texts = std::vector<std::string>;

namespace {

std::string verdict(const std::string& slurm) {
  return R"({"slurm": ")" + slurm + R"(", "findings": [
    {"check": "gpu_ecc", "device": "GPU 5", "evidence": "2 memory errors", "action": "reboot"},
    {"check": "gpu_xid", "device": "GPU 5", "evidence": "Xid 79", "action": "reboot"},
    {"check": "disk", "device": "/tmp", "evidence": "full", "action": "degrade"}]})";
}

}  // namespace

TEST_CASE("node health: findings that call for a drain are returned as text") {
  CHECK(reasons_against(verdict(""), Events::counted) ==
        Texts{"gpu_ecc GPU 5: 2 memory errors (reboot)", "gpu_xid GPU 5: Xid 79 (reboot)"});
  CHECK(reasons_against(verdict(""), Events::left_out) ==
        Texts{"gpu_ecc GPU 5: 2 memory errors (reboot)"});
}

TEST_CASE("node health: text that is not a verdict is ignored") {
  for (const char* text : {"", "{", "{}", "[]", R"({"findings": [7]})", R"({"findings": 7})"}) {
    CHECK(reasons_against(text, Events::counted).empty());
  }
}

TEST_CASE("node health: a check by root is reported once, if it is new and drained the node") {
  const TemporaryDirectory folder;
  const std::filesystem::path file = folder / "last.json";
  write_file(file, verdict("drained"));
  HealthWatch watch(file);
  CHECK(watch.news().empty());
  std::filesystem::remove(file);
  CHECK(watch.news().empty());
  write_file(file, verdict("drained"));
  CHECK(watch.news().size() == 2);
  CHECK(watch.news().empty());
  write_file(file, verdict("ALARM: not drained: 2 of 4 are"));
  CHECK(watch.news().empty());
  write_file(file, "{");
  CHECK(watch.news().empty());
}
