// A verdict for people, for programs and for Slurm.
#include "launcher/health/verdict.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace slipway::health {
namespace {

using nlohmann::ordered_json;

constexpr size_t longest_reason = 200;  // what sinfo shows of one in a line

std::string words_of(const Judged& judged) {
  const Finding& finding = judged.finding;
  return fmt::format("{} {}: {}", finding.check, finding.device, finding.evidence);
}

// Slurm's own tools cannot quote: what would end a word or a line is left out. At most `longest`
// bytes, and no part of a character.
std::string plain(std::string text, size_t longest) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < ' ' || c == '"' || c == '\'' || c == '|'; }, ' ');
  if (text.size() <= longest) return text;
  while (longest > 0 && (static_cast<unsigned char>(text[longest]) & 0xC0) == 0x80) --longest;
  text.resize(longest);
  return text;
}

std::string_view word_for_repair(Action action) {
  switch (action) {
    case Action::reboot:
      return " Action:Reboot";
    case Action::replace:
      return " Action:Replace";
    default:
      return "";
  }
}

ordered_json finding_json(const Judged& judged) {
  const Finding& finding = judged.finding;
  ordered_json body = {{"finding", finding.kind},          {"check", finding.check},
                       {"device", finding.device},         {"evidence", finding.evidence},
                       {"action", name_of(judged.action)}, {"because", judged.who},
                       {"from_before", judged.from_before}};
  if (finding.xid != 0) body["xid"] = finding.xid;
  return body;
}

}  // namespace

ordered_json to_json(const Verdict& verdict) {
  ordered_json findings = ordered_json::array(), skipped = ordered_json::array();
  for (const Judged& judged : verdict.findings) findings.push_back(finding_json(judged));
  for (const Skipped& one : verdict.skipped) {
    skipped.push_back({{"check", one.check}, {"why", one.why}});
  }
  return {{"schema", verdict_schema},
          {"node", verdict.node},
          {"stage", name_of(verdict.stage)},
          {"time", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(verdict.time))},
          {"action", name_of(verdict.action)},
          {"fit", verdict.fit()},
          {"findings", std::move(findings)},
          {"checks", verdict.checks},
          {"skipped", std::move(skipped)},
          {"facts", verdict.facts},
          {"grown", verdict.grown},
          {"duration_ms", std::round(verdict.milliseconds * 10) / 10},
          {"slurm", verdict.slurm}};
}

std::string line_of(const Verdict& verdict) {
  std::string text = fmt::format("node {}: ", verdict.node);
  if (verdict.findings.empty() || verdict.action == Action::none) {
    text += "healthy";
  } else {
    const std::string_view word = name_of(verdict.action);
    text += fmt::format("{}: {}", word, words_of(verdict.findings.front()));
    if (verdict.findings.size() > 1) {
      text += fmt::format(" (and {} more)", verdict.findings.size() - 1);
    }
  }
  text += fmt::format("; {} checks, {:.0f} ms", verdict.checks.size(), verdict.milliseconds);
  return verdict.slurm.empty() ? text : text + "; " + verdict.slurm;
}

std::string reason_of(const Verdict& verdict) {
  const Judged& worst = verdict.findings.at(0);
  const std::string_view asked_for = word_for_repair(worst.action);
  std::string reason = plain(fmt::format("{}[node_problem] {}", reason_prefix, words_of(worst)),
                             longest_reason - asked_for.size());
  return reason.append(asked_for);
}

std::string comment_of(const Verdict& verdict) {
  const auto degrades = std::ranges::find(verdict.findings, Action::degrade, &Judged::action);
  if (degrades == verdict.findings.end()) return "";
  return plain(fmt::format("{}degraded: {}", reason_prefix, words_of(*degrades)), longest_reason);
}

}  // namespace slipway::health
