// Tests of health policy: what is shipped, and a site's own file over it.
#include "launcher/health/policy.h"

#include <algorithm>

#include "launcher/health/policy_reader.h"
#include "tests/unit/catch.h"
#include "tests/unit/health/support.h"

using namespace slipway;
using namespace slipway::health;

namespace slipway::health {

Policy policy_with(const std::string& own) {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  const source::Span text = own.empty() ? source::Span{} : sources.add("own.yaml", own);
  Policy policy = load_policy(TEST_SOURCE_ROOT "/blueprints/catalogue", text, sources, diagnostics);
  INFO(render(diagnostics));
  REQUIRE(diagnostics.errors() == 0);
  return policy;
}

}  // namespace slipway::health

namespace {

// What is said of a site's own file.
std::string complaint(const std::string& own) {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  load_policy(TEST_SOURCE_ROOT "/blueprints/catalogue", sources.add("own.yaml", own), sources,
              diagnostics);
  return render(diagnostics);
}

Action xid_action(const Policy& policy, int xid) {
  return policy.meaning_of_xid(xid).rule.action;
}

}  // namespace

TEST_CASE("health policy: what is shipped is right, and every Xid has a word of the preset's") {
  const Policy policy = policy_with();
  for (const auto& [xid, row] : policy.xids) {
    INFO(xid);
    CHECK(!row.name.empty());
    CHECK(!row.says.empty());
  }
  for (const auto& [name, rule] : policy.findings) {
    INFO(name);
    CHECK(!rule.about.empty());
  }
  CHECK(policy.meaning_of_xid(79).who == "nvidia: restart-machine");
  CHECK(xid_action(policy, 79) == Action::reboot);
  CHECK(xid_action(policy, 9999) == Action::note);
}

TEST_CASE("health policy: sources disagree, and the preset says whose word counts") {
  CHECK(xid_action(policy_with(), 63) == Action::note);
  CHECK(xid_action(policy_with("preset: nvidia\n"), 63) == Action::note);
  CHECK(xid_action(policy_with("preset: azure\n"), 63) == Action::drain);
  CHECK(xid_action(policy_with("preset: gpud\n"), 63) == Action::reboot);
  CHECK(xid_action(policy_with("preset: aws\n"), 79) == Action::reboot);
  CHECK(policy_with("preset: meta\n").meaning_of_xid(79).who == "nvidia: restart-machine");
}

TEST_CASE("health policy: what users bring about with a program drains no node") {
  const std::string preset = GENERATE("slipway", "nvidia", "aws", "nebius", "meta", "gpud");
  const Policy policy = policy_with("preset: " + preset + "\n");
  for (const int xid : {13, 31, 43, 45, 68, 69}) CHECK(xid_action(policy, xid) < Action::drain);
  for (const char* finding : {"gpu-busy", "scratch-full", "memory-low", "kernel-stall"}) {
    CHECK(policy.findings.at(finding).action < Action::drain);
    CHECK(policy.findings.at(finding).escalation.times == 0);
  }
}

TEST_CASE("health policy: a site's file changes what it names, and nothing else") {
  const Policy policy = policy_with(
      "findings:\n"
      "  gpu-hot: note\n"
      "  nic-errors: {action: degrade, after: {times: 2, hours: 1, action: drain}}\n"
      "xids:\n"
      "  79: replace\n"
      "  999: drain\n"
      "limits: {gpu_celsius: 85}\n"
      "mounts: [/scratch]\n"
      "jobs_may_skip: true\n"
      "breaker: {share: 0.5}\n");
  CHECK(policy.findings.at("gpu-hot").action == Action::note);
  CHECK(policy.findings.at("nic-errors").escalation.times == 2);
  CHECK(policy.findings.at("nic-down").action == Action::drain);
  CHECK(policy.meaning_of_xid(79).who == "own policy");
  CHECK(xid_action(policy, 79) == Action::replace);
  CHECK(xid_action(policy, 999) == Action::drain);
  CHECK(policy.limit("gpu_celsius") == 85);
  CHECK(policy.limit("gpu_pages_retired") == 60);
  CHECK(policy.mounts == std::vector<std::string>{"/scratch"});
  CHECK(policy.jobs_may_skip);
  CHECK(policy.breaker.share == 0.5);
  CHECK(policy.breaker.nodes == 2);
}

TEST_CASE("health policy: a mistake is shown with a caret and a guess") {
  CHECK(complaint("findings:\n  gpu-hott: note\n") ==
        "error[E0903]: there is no finding `gpu-hott`\n"
        " --> own.yaml:2:3\n"
        "  |\n"
        "2 |   gpu-hott: note\n"
        "  |   ^^^^^^^^\n"
        "  = help: did you mean `gpu-hot`?\n");
}

TEST_CASE("health policy: every kind of mistake is one") {
  const auto [text, words] = GENERATE(table<std::string, std::string>({
      {"findigs: {}\n", "there is no key of a health policy `findigs`"},
      {"findings: {gpu-hot: drian}\n", "there is no action `drian`"},
      {"findings: {gpu-hot: {actoin: drain}}\n", "there is no key of finding `gpu-hot` `actoin`"},
      {"findings: [gpu-hot]\n", "`findings` is a list, expected a mapping"},
      {"findings: {gpu-hot: {after: {times: 2}}}\n", "`after` needs `times`, `hours` and `action`"},
      {"xids: {x: note}\n", "`x` is no number of an Xid"},
      {"xids: {63: {azur: fail}}\n", "there is no source of Xids `azur`"},
      {"preset: googol\n", "there is no preset `googol`"},
      {"limits: {gpu_celcius: 1}\n", "there is no limit `gpu_celcius`"},
      {"limits: {gpu_celsius: hot}\n", "`gpu_celsius` is `hot`, expected a number from 0 up"},
      {"limits: {gpu_celsius: -1}\n", "expected a number from 0 up"},
      {"mounts: [scratch]\n", "`scratch` is not an absolute path"},
      {"mounts: /scratch\n", "`mounts` is a text, expected a list"},
      {"breaker: {share: 2}\n", "`share` is a part of a partition, from 0 to 1"},
      {"jobs_may_skip: perhaps\n", "`jobs_may_skip` is `true` or `false`"},
      {"kernel_log: [{begins: x}]\n", "a pattern needs `begins` and `finding`"},
      {"- a\n", "a health policy is a list, expected a mapping"},
      {"xid_sources: {}\n", "there is no key of a health policy `xid_sources`"},
  }));
  CHECK_THAT(complaint(text), ContainsSubstring("E0903") && ContainsSubstring(words));
}

TEST_CASE("health policy: a file of comments changes nothing") {
  CHECK(policy_with("# nothing yet\n").limits == policy_with().limits);
}
