#include "launcher/node/metadata_guard.h"

#include "tests/unit/catch.h"

using slipway::node::metadata_rules;

TEST_CASE("metadata guard: root and the named users get in, each listed once") {
  CHECK(metadata_rules({}).find("meta skuid { 0 } accept") != std::string::npos);
  CHECK(metadata_rules({1001, 64030, 1001, 0}).find("meta skuid { 0, 1001, 64030 } accept") !=
        std::string::npos);
}

TEST_CASE("metadata guard: the table is replaced atomically, whether or not it existed") {
  CHECK(
      metadata_rules({}).starts_with("add table inet slipway_metadata\n"
                                     "delete table inet slipway_metadata\n"
                                     "table inet slipway_metadata {\n"));
}

TEST_CASE("metadata guard: both addresses are closed, for local and for forwarded packets") {
  const std::string rules = metadata_rules({});
  for (const char* rule : {"ip daddr 169.254.169.254 goto own", "ip6 daddr fd20:ce::254 goto own",
                           "ip daddr 169.254.169.254 goto others",
                           "ip6 daddr fd20:ce::254 goto others", "hook output", "hook forward"}) {
    CAPTURE(rule);
    CHECK(rules.find(rule) != std::string::npos);
  }
}

TEST_CASE("metadata guard: forwarded packets are rejected whatever their owner") {
  const std::string rules = metadata_rules({});
  const std::string others = rules.substr(rules.find("chain others"));
  CHECK(others.find("skuid") == std::string::npos);
}
