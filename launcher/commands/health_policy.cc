// `slipway health policy`: prints what each finding and each Xid leads to, and which source says
// so.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "common/command_line.h"
#include "common/locale_text.h"
#include "launcher/commands/health_parts.h"
#include "launcher/commands/page.h"

namespace slipway::commands {
namespace {

using health::Policy;
using Json = nlohmann::ordered_json;

std::string escalation_text(const health::Escalation& escalation) {
  if (escalation.times == 0) return "";
  return fmt::format("; {} times in {:g} h: {}", escalation.times, escalation.hours,
                     name_of(escalation.action));
}

void print_findings(const Policy& policy) {
  size_t width = 0;
  for (const auto& [name, rule] : policy.findings) width = std::max(width, name.size());
  fmt::print("findings\n");
  for (const auto& [name, rule] : policy.findings) {
    fmt::print("  {:<{}}  {:<8} {}{}\n", name, width, name_of(rule.action), for_locale(rule.about),
               escalation_text(rule.escalation));
  }
}

// What the sources that were not followed would do: "azure fail (drain)".
std::string other_sources(const Policy& policy, const health::XidRow& row, const std::string& who) {
  std::string text;
  for (const auto& [source, word] : row.says) {
    if (who.starts_with(source + ":")) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", source, word);
    const health::Action action = policy.xid_sources.at(source).means.at(word);
    text += fmt::format(" ({})", name_of(action));
  }
  return text;
}

void print_xids(const Policy& policy) {
  fmt::print("\nXids, preset `{}`\n", policy.preset);
  for (const auto& [xid, row] : policy.xids) {
    const Policy::XidMeaning meaning = policy.meaning_of_xid(xid);
    fmt::print("  {:<4} {:<8} {}{}\n", xid, name_of(meaning.rule.action), row.name,
               escalation_text(meaning.rule.escalation));
    const std::string rest = other_sources(policy, row, meaning.who);
    fmt::print("       {}{}{}\n", meaning.who, rest.empty() ? "" : "; others: ", rest);
  }
}

Json after_json(const health::Escalation& escalation) {
  if (escalation.times == 0) return nullptr;
  return {{"times", escalation.times},
          {"hours", escalation.hours},
          {"action", name_of(escalation.action)}};
}

Json finding_json(const std::string& name, const health::Rule& rule) {
  return {{"finding", name},
          {"action", name_of(rule.action)},
          {"about", rule.about},
          {"after", after_json(rule.escalation)}};
}

Json xid_json(const Policy& policy, int xid, const health::XidRow& row) {
  const Policy::XidMeaning meaning = policy.meaning_of_xid(xid);
  Json sources = Json::object();
  for (const auto& [source, word] : row.says) {
    sources[source] = {{"says", word},
                       {"action", name_of(policy.xid_sources.at(source).means.at(word))}};
  }
  return {{"xid", xid},
          {"name", row.name},
          {"action", name_of(meaning.rule.action)},
          {"because", meaning.who},
          {"after", after_json(meaning.rule.escalation)},
          {"sources", std::move(sources)}};
}

void print_json(const Policy& policy) {
  Json findings = Json::array(), xids = Json::array();
  for (const auto& [name, rule] : policy.findings) findings.push_back(finding_json(name, rule));
  for (const auto& [xid, row] : policy.xids) xids.push_back(xid_json(policy, xid, row));
  const Json all{{"schema", "slipway/health-policy/1"},
                 {"preset", policy.preset},
                 {"findings", std::move(findings)},
                 {"xids", std::move(xids)}};
  fmt::print("{}\n", all.dump(2));
}

}  // namespace

int health_policy(Args args) {
  std::string own;
  bool json = false;
  CommandLine line("slipway health policy",
                   "Print what each health finding and each Xid leads to.");
  line.about("The policy file of your site is checked, too.");
  line.option("policy", "FILE", "your site's policy", &own, health::usual_policy_files());
  line.json("schema slipway/health-policy/1", &json);
  line.example("slipway health policy --policy health.yaml",
               "check a policy before you install it");
  line.example("slipway health policy | grep -A1 ' 63 '", "see what each source says about Xid 63");
  line.see_also("slipway-health(1)");
  if (!line.parse(args)) return 0;
  const Policy policy = read_policy(own);
  if (json) {
    print_json(policy);
  } else {
    print_findings(policy);
    print_xids(policy);
  }
  return 0;
}

}  // namespace slipway::commands
