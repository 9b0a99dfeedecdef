// Tests of what a launcher's agent takes from the kernel's log.
#include "launcher/job/kernel_log.h"

#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::job;

namespace {

health::Policy policy_with(const std::string& own) {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  const source::Span text = own.empty() ? source::Span{} : sources.add("own.yaml", own);
  health::Policy policy =
      health::load_policy(TEST_SOURCE_ROOT "/blueprints/catalogue", text, sources, diagnostics);
  REQUIRE(diagnostics.errors() == 0);
  return policy;
}

std::string xid(int number) {
  return "NVRM: Xid (PCI:0000:3b:00): " + std::to_string(number) + ", pid=1";
}

}  // namespace

TEST_CASE("kernel log: what matters in it") {
  CHECK(matters(xid(79)));
  CHECK(matters("Out of memory: Killed process 12 (python3)"));
  CHECK_FALSE(matters("eth0: link becomes ready"));
}

TEST_CASE("kernel log: the node's policy says which Xids take it out of service") {
  const health::Policy shipped = policy_with("");
  for (const int number : {46,  48,  54,  56,  57,  58,  62,  64,  74,  79,  81, 95,
                           109, 110, 119, 120, 136, 140, 143, 151, 155, 156, 158}) {
    CHECK(asks_for_a_drain(xid(number), shipped));
  }
  for (const int number : {13, 31, 43, 45, 63, 68, 69, 92, 94, 12345}) {
    CHECK_FALSE(asks_for_a_drain(xid(number), shipped));
  }
  const health::Policy own = policy_with("xids: {94: drain, 79: note}");
  CHECK(asks_for_a_drain(xid(94), own));
  CHECK_FALSE(asks_for_a_drain(xid(79), own));
  CHECK(asks_for_a_drain(xid(63), policy_with("preset: imbue")));
}

TEST_CASE("kernel log: what only looks like an Xid is none") {
  const health::Policy policy = policy_with("");
  for (const char* line : {"NVRM: Xid 79", "python3[1]: NVRM: Xid (PCI:0000:3b:00): 79, pid=1",
                           "NVRM: Xid (PCI:0000:3b:00): x", ""}) {
    CHECK_FALSE(asks_for_a_drain(line, policy));
  }
}
