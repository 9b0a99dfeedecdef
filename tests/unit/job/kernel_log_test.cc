// Tests of what a launcher's agent reads from the kernel log.
#include "launcher/job/kernel_log.h"

#include <fmt/core.h>

#include <fstream>

#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::job;
using Lines = std::vector<std::string>;

namespace {

const GpuPlaces places = {"0000:3b:00.0"};

health::Policy policy_with(const std::string& own) {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  const source::Span text = own.empty() ? source::Span{} : sources.add("own.yaml", own);
  health::Policy policy =
      health::load_policy(TEST_SOURCE_ROOT "/blueprints/catalogue", text, sources, diagnostics);
  REQUIRE(diagnostics.errors() == 0);
  return policy;
}

health::KernelRecord record(const std::string& text, health::Level level = health::Level::warning) {
  return {1, level, text};
}

health::KernelRecord xid(int number) {
  return record(fmt::format("NVRM: Xid (PCI:0000:3b:00): {}, pid=1", number));
}

const std::string killed_program =
    "Out of memory: Killed process 12 (python3) total-vm:1kB, anon-rss:1kB, UID:1000";

// A node's kernel log, and the results of root's last check.
struct Node {
  TemporaryDirectory folder;
  KernelLog log = [this] {
    write_file(folder / "kmsg", "4,0,1,-;NVRM: Xid (PCI:0000:3b:00): 79, before\n");
    write_file(folder / "last.json", R"({"facts": {"gpu/0000:3b:00.0": "3"}})");
    return KernelLog(policy_with(""), folder / "last.json", folder / "kmsg");
  }();

  void says(const std::string& lines) { std::ofstream(folder / "kmsg", std::ios::app) << lines; }
};

}  // namespace

TEST_CASE("kernel log: which records matter") {
  const health::Policy policy = policy_with("");
  CHECK(matters(xid(79), policy));
  CHECK(matters(record(killed_program, health::Level::error), policy));
  for (const char* other : {"eth0: link becomes ready", "python3[1]: Out of memory: Killed process",
                            "usb 1-1: Product: Hardware Error", "x fallen off the bus", ""}) {
    CHECK_FALSE(matters(record(other), policy));
  }
}

TEST_CASE("kernel log: the node's policy decides which Xids take it out of service") {
  const health::Policy shipped = policy_with("");
  for (const int number : {46,  48,  54,  56,  57,  58,  62,  64,  74,  79,  81, 95,
                           109, 110, 119, 120, 136, 140, 143, 151, 155, 156, 158}) {
    CHECK(asks_for_a_drain(xid(number), shipped, places));
  }
  for (const int number : {13, 31, 43, 45, 63, 68, 69, 92, 94, 1234}) {
    CHECK_FALSE(asks_for_a_drain(xid(number), shipped, places));
  }
  const health::Policy own = policy_with("xids: {94: drain, 79: note}");
  CHECK(asks_for_a_drain(xid(94), own, places));
  CHECK_FALSE(asks_for_a_drain(xid(79), own, places));
  CHECK(asks_for_a_drain(xid(63), policy_with("preset: imbue"), places));
}

TEST_CASE(
    "kernel log: lookalikes of Xids are ignored, and Xids of GPUs that the node does not have") {
  const health::Policy policy = policy_with("");
  for (const char* line : {"NVRM: Xid 79", "python3[1]: NVRM: Xid (PCI:0000:3b:00): 79, pid=1",
                           "NVRM: Xid (PCI:[1]: segfault at 0 error 6 in x): 79, y[1,2]",
                           "NVRM: Xid (PCI:0000:3b:00): x", ""}) {
    CHECK_FALSE(asks_for_a_drain(record(line), policy, places));
  }
  CHECK_FALSE(asks_for_a_drain(xid(79), policy, {}));
  CHECK_FALSE(asks_for_a_drain(xid(79), policy, {"0000:3c:00.0"}));
  health::KernelRecord info = xid(79);
  info.level = health::Level::info;
  CHECK_FALSE(asks_for_a_drain(info, policy, places));
}

TEST_CASE("kernel log: of all records, only the node's own Xids blame it") {
  Node node;
  CHECK(node.log.lines().all.empty());  // from before
  const std::string own = "NVRM: Xid (PCI:0000:3b:00): 79, now";
  node.says("4,1,1,-;" + own + "\n4,2,1,-;NVRM: Xid (PCI:0000:07:00): 79, of no GPU\n" +
            "3,3,1,-;" + killed_program + "\n" +
            "6,4,1,-;NVRM: Xid (PCI:[9]: segfault at 0 ip 1 sp 2 error 6 in x): 79, y[1,2]\n");
  const KernelLines lines = node.log.lines();
  CHECK(lines.broken == Lines{own});
  CHECK(lines.all == Lines{own, "NVRM: Xid (PCI:0000:07:00): 79, of no GPU", killed_program});
  CHECK(node.log.lines().all.empty());
}

TEST_CASE(
    "kernel log: if NVML reports Xids, those in the log are shown but do not blame the node") {
  Node node;
  const std::string logged = "NVRM: Xid (PCI:0000:3b:00): 79, now";
  node.says("4,1,1,-;" + logged + "\n");
  const KernelLines lines = node.log.lines({{{"0000:07:00.0", 48}, {"0000:07:00.0", 13}}});
  const std::string told = "NVML: Xid 48 of GPU 0000:07:00.0";
  CHECK(lines.broken == Lines{told});
  CHECK(lines.all == Lines{logged, told});
  node.says("4,2,1,-;" + logged + "\n");
  CHECK(node.log.lines(std::vector<health::Xid>()).broken.empty());
  CHECK(xid_number_in(told) == 48);
  CHECK(xid_number_in(logged) == 79);
  CHECK_FALSE(xid_number_in("NVML: Xid"));
}

TEST_CASE("kernel log: without a verdict from root, no GPU is known and no node is blamed") {
  Node node;
  const std::string verdict =
      GENERATE("", "{", "[]", "{}", R"({"facts": 1})", R"({"facts": {"driver_version": "1"}})");
  write_file(node.folder / "last.json", verdict);
  node.says("4,1,1,-;NVRM: Xid (PCI:0000:3b:00): 79, now\n");
  const KernelLines lines = node.log.lines();
  CHECK(lines.broken.empty());
  CHECK(lines.all.size() == 1);
}
