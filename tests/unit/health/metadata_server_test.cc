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
  Look look;
  Looking looking(context, look);
  check_metadata_server(server, looking);
  return {lines_of(look), look.skipped.size()};
}

Lines findings(const MetadataServer& server) {
  return check(server).findings;
}

}  // namespace

TEST_CASE("metadata server: nothing to say when the rules are those of the boot") {
  const Checked checked = check({rules, rules, false});
  CHECK(checked.findings.empty());
  CHECK(checked.skipped == 0);
}

TEST_CASE("metadata server: rules that are gone, changed or never made are a finding") {
  const std::string before = "metadata-open metadata server: ";
  CHECK(findings({rules, "", false}) ==
        Lines{before + "the rules that close it to users are gone"});
  CHECK(findings({rules, std::string(rules) + ", and more", false}) ==
        Lines{before + "the rules that close it to users have changed since boot"});
  CHECK(findings({"", rules, false}) == Lines{before + "boot did not close it to users"});
}

TEST_CASE("metadata server: a user who gets in is a finding, whatever the rules are") {
  CHECK(findings({rules, rules, true}) ==
        Lines{"metadata-open metadata server: an ordinary user could connect"});
  CHECK(findings({rules, std::nullopt, true}).size() == 1);
}

TEST_CASE("metadata server: what could not be told is no reason to drain a node") {
  // A user can see to it that nft has no time, no memory or no process.
  CHECK(findings({rules, std::nullopt, false}).empty());
  CHECK(findings({std::nullopt, rules, false}).empty());
  CHECK(findings({std::nullopt, std::nullopt, std::nullopt}).empty());
  CHECK(findings({rules, rules, std::nullopt}).empty());
}

TEST_CASE("metadata server: an nft that was updated since may have other words") {
  CHECK(findings({rules, "nft of 3, 4 bytes\nthe same table", false}).empty());
  CHECK(findings({rules, "", false}).size() == 1);
}

TEST_CASE("metadata server: one that the blueprint opens is not checked") {
  const Checked checked = check({metadata_is_open, std::nullopt, true});
  CHECK(checked.findings.empty());
  CHECK(checked.skipped == 1);
}

TEST_CASE("metadata server: the shipped policy drains for it") {
  CHECK(policy_with().findings.at("metadata-open").action == Action::drain);
}
