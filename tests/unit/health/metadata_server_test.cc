#include "launcher/health/metadata_server.h"

#include "common/metadata_rules.h"
#include "tests/unit/catch.h"
#include "tests/unit/health/support.h"

using namespace slipway;
using namespace slipway::health;
using Lines = std::vector<std::string>;

namespace {

constexpr const char* rules = "nft of 1, 2 bytes\ntable";

struct Checked {
  Lines findings;
  size_t skipped;
};

Checked check(const MetadataServer& server) {
  const Context context = context_with();
  CheckResults results;
  CheckRun run(context, results);
  check_metadata_server(server, run);
  return {lines_of(results), results.skipped.size()};
}

Lines findings(const MetadataServer& server) {
  return check(server).findings;
}

}  // namespace

TEST_CASE("metadata server: no finding if the rules are those made at boot") {
  const Checked checked = check({rules, rules, false});
  CHECK(checked.findings.empty());
  CHECK(checked.skipped == 0);
}

TEST_CASE("metadata server: missing, changed or never made rules are a finding") {
  const std::string before = "metadata-open metadata server: ";
  CHECK(findings({rules, "", false}) ==
        Lines{before + "the rules that close it to users are gone"});
  CHECK(findings({rules, std::string(rules) + ", and more", false}) ==
        Lines{before + "the rules that close it to users have changed since boot"});
  CHECK(findings({"", rules, false}) == Lines{before + "boot did not close it to users"});
}

TEST_CASE("metadata server: a user who can connect is a finding, whatever the rules") {
  CHECK(findings({rules, rules, true}) ==
        Lines{"metadata-open metadata server: an ordinary user could connect"});
  CHECK(findings({rules, std::nullopt, true}).size() == 1);
}

TEST_CASE("metadata server: a value that could not be determined does not drain a node") {
  // A user can make sure that nft has no time, no memory or no process.
  CHECK(findings({rules, std::nullopt, false}).empty());
  CHECK(findings({std::nullopt, rules, false}).empty());
  CHECK(findings({std::nullopt, std::nullopt, std::nullopt}).empty());
  CHECK(findings({rules, rules, std::nullopt}).empty());
}

TEST_CASE("metadata server: an updated nft may print rules differently") {
  CHECK(findings({rules, "nft of 3, 4 bytes\nthe same table", false}).empty());
  CHECK(findings({rules, "", false}).size() == 1);
}

TEST_CASE("metadata server: a server that the blueprint opens is not checked") {
  const Checked checked = check({metadata_is_open, std::nullopt, true});
  CHECK(checked.findings.empty());
  CHECK(checked.skipped == 1);
}

TEST_CASE("metadata server: the shipped policy drains for this finding") {
  CHECK(policy_with().findings.at("metadata-open").action == Action::drain);
}
