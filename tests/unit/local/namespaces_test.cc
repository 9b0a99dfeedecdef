#include "launcher/local/namespaces.h"

#include "tests/unit/catch.h"

using namespace slipway::local;

TEST_CASE("subordinate ids: found by the user's name or number") {
  const std::string text = "root:1:2\nalice:100000:65536\n1001:200000:65536\n";
  CHECK(subordinate_range(text, "alice", 1000).outside == 100000);
  CHECK(subordinate_range(text, "alice", 1000).count == 65536);
  CHECK(subordinate_range(text, "alice", 1000).inside == 1);
  CHECK(subordinate_range(text, "bob", 1001).outside == 200000);
}

TEST_CASE("subordinate ids: a count of 0 when the user has none or the line is broken") {
  CHECK(subordinate_range("", "alice", 1000).count == 0);
  CHECK(subordinate_range("al:1:2\nalice:7\n", "alice", 1000).count == 0);
}
