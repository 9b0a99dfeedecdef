// Turns check results into a verdict.
#include "launcher/health/judge.h"

#include <fmt/core.h>

#include <algorithm>

namespace slipway::health {
namespace {

using Facts = std::map<std::string, std::string>;

// The recovery action that the driver reports for the finding's GPU; empty if it reports none.
std::string recovery_of(const Finding& finding, const Facts& facts) {
  const size_t bus = finding.device.rfind(' ');
  if (bus == finding.device.npos) return "";
  const auto fact = facts.find("recovery/" + finding.device.substr(bus + 1));
  return fact == facts.end() ? "" : fact->second;
}

// Remembers all GPUs seen since boot, because a GPU that fell off the bus is no longer visible.
void remember_gpus(History& history, Facts& facts) {
  const std::string prefix = "gpu/";
  for (const auto& [name, index] : facts) {
    if (!name.starts_with(prefix)) continue;
    std::string& known = history.gpus[name.substr(prefix.size())];
    if (!index.empty()) known = index;
  }
  for (const auto& [bus, index] : history.gpus) facts[prefix + bus] = index;
}

// The driver logs Xids of the node's own GPUs. An Xid at any other address must have no effect.
Finding checked_xid(Finding finding, const Facts& facts) {
  const size_t bus = finding.device.rfind(' ');
  if (finding.kind == "gpu-xid" && !facts.contains("gpu/" + finding.device.substr(bus + 1))) {
    finding.kind = "gpu-xid-elsewhere";
    finding.evidence += " at an address without a GPU";
  }
  return finding;
}

Judged judge_xid(Finding finding, const Policy& policy, const Facts& facts, Rule& rule) {
  const Policy::XidMeaning meaning = policy.meaning_of_xid(finding.xid);
  rule = meaning.rule;
  if (!meaning.name.empty() && finding.evidence.find('(') == std::string::npos) {
    finding.evidence += fmt::format(" ({})", meaning.name);
  }
  Judged judged{std::move(finding), rule.action, meaning.who, false};
  // If the driver itself reports what the GPU needs, that wins over the table.
  if (recovery_of(judged.finding, facts) == "none" && judged.action > Action::note) {
    judged.action = Action::note;
    judged.who = "the driver: no recovery action needed";
  }
  return judged;
}

Judged judge_one(const Finding& finding, const Context& context, const Facts& facts, Rule& rule) {
  const Policy& policy = context.policy;
  if (finding.kind == "gpu-xid") return judge_xid(finding, policy, facts, rule);
  const auto found = policy.findings.find(finding.kind);
  rule = found == policy.findings.end() ? Rule{} : found->second;
  if (finding.kind != "gpu-recovery") return {finding, rule.action, "health policy", false};
  const auto means = policy.recovery_actions.find(finding.evidence);
  return {finding, means == policy.recovery_actions.end() ? rule.action : means->second,
          "the GPU's driver", false};
}

void escalate(Judged& judged, const Rule& rule, const History& history, std::time_t now) {
  const Escalation& more = rule.escalation;
  if (more.times == 0 || more.action <= judged.action) return;
  const int times = history.times(judged.finding, more.hours, now);
  if (times < more.times) return;
  judged.action = more.action;
  judged.who = fmt::format("{} times in {:g} h", times, more.hours);
}

Judged judge_and_escalate(const Finding& finding, const CheckResults& results,
                          const Context& context, const History& history, std::time_t now) {
  Rule rule;
  Judged judged = judge_one(finding, context, results.facts, rule);
  escalate(judged, rule, history, now);
  return judged;
}

bool is_settled(const Finding& finding, const Facts& facts) {
  return finding.kind == "gpu-xid" && recovery_of(finding, facts) == "none";
}

bool same(const Finding& a, const Finding& b) {
  return key_of(a) == key_of(b);
}

// Whether a finding lasts until the next boot: events that call for a drain, and users' reports.
bool lasts(const Judged& judged) {
  const bool is_said = judged.finding.kind == reported_kind && judged.action > Action::none;
  return judged.finding.event && (is_said || judged.action >= Action::drain);
}

}  // namespace

Verdict judge(const CheckResults& results, const Context& context, History& history,
              std::time_t now) {
  Verdict verdict;
  verdict.node = context.profile.node;
  verdict.stage = context.stage;
  verdict.time = now;
  verdict.checks = results.checks;
  verdict.skipped = results.skipped;
  verdict.facts = results.facts;
  remember_gpus(history, verdict.facts);

  std::erase_if(history.open, [&](const Finding& open) { return is_settled(open, results.facts); });
  const std::vector<Finding> open_before = history.open;
  std::set<std::string> present;
  for (const Finding& seen : results.findings) {
    const Finding finding = checked_xid(seen, verdict.facts);
    history.remember(finding, now);
    Judged judged = judge_and_escalate(finding, results, context, history, now);
    present.insert(key_of(finding));
    if (lasts(judged)) {
      // Of several equal findings, keep the last.
      std::erase_if(history.open, [&](const Finding& open) { return same(open, finding); });
      history.open.push_back(finding);
    }
    verdict.findings.push_back(std::move(judged));
  }
  for (const Finding& finding : open_before) {
    if (present.contains(key_of(finding))) continue;
    Judged judged = judge_and_escalate(finding, results, context, history, now);
    judged.from_before = true;
    verdict.findings.push_back(std::move(judged));
  }
  std::ranges::stable_sort(verdict.findings, std::ranges::greater(), &Judged::action);
  if (!verdict.findings.empty()) verdict.action = verdict.findings.front().action;

  std::ranges::sort(history.open, {}, key_of);
  history.open.erase(std::unique(history.open.begin(), history.open.end(), same),
                     history.open.end());
  history.present = std::move(present);
  history.clean_checks = verdict.fit() && results.complete ? history.clean_checks + 1 : 0;
  for (const auto& [name, value] : results.counters) history.counters[name] = value;
  return verdict;
}

}  // namespace slipway::health
