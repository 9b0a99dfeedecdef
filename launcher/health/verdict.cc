// Formats a verdict for people, for programs and for Slurm.
#include "launcher/health/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/utc.h"

namespace slipway::health {
namespace {

using nlohmann::ordered_json;

constexpr size_t longest_reason = 200;  // what sinfo shows on a line

// The end of our drain reasons, before the part for repair tools. Older versions used a prefix
// instead.
constexpr std::string_view own_mark = " [node_problem] (slipway health)";
constexpr std::string_view deep_mark = " [node_problem] (slipway health, deep checks)";
constexpr std::string_view older_prefix = "slipway health:";

std::string words_of(const Judged& judged) {
  const Finding& finding = judged.finding;
  return fmt::format("{} {}: {}", finding.check, finding.device, finding.evidence);
}

// Slurm's own tools cannot quote, so this replaces characters that would end a word or a line. At
// most `longest` bytes, without cutting a character.
std::string plain(std::string text, size_t longest) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < ' ' || c == '"' || c == '\'' || c == '|'; }, ' ');
  if (text.size() <= longest) return text;
  while (longest > 0 && (static_cast<unsigned char>(text[longest]) & 0xC0) == 0x80) --longest;
  text.resize(longest);
  return text;
}

// Shortens "GPU 3 0000:07:00.0" to "GPU3 0000:07:00.0", and adds NVML's index to the kernel log's
// "GPU 0000:07:00.0".
std::string short_device(const Verdict& verdict, const std::string& device) {
  constexpr std::string_view gpu = "GPU ";
  if (!device.starts_with(gpu)) return device;
  const std::string rest = device.substr(gpu.size());
  const auto index = verdict.facts.find("gpu/" + rest);
  if (index != verdict.facts.end() && !index->second.empty())
    return fmt::format("GPU{} {}", index->second, rest);
  return rest.find(':') < rest.find(' ') ? device : "GPU" + rest;
}

// The beginning of a reason, which is all that `sinfo -R` shows of it.
std::string core_of(const Verdict& verdict, const Judged& judged) {
  const Finding& finding = judged.finding;
  const std::string device = short_device(verdict, finding.device);
  if (finding.xid == 0) return fmt::format("{} {}: {}", finding.check, device, finding.evidence);
  // "Xid 79 (GPU has fallen off the bus)"
  std::string core = fmt::format("Xid{} {}", finding.xid, device);
  const size_t name = finding.evidence.find('(');
  if (name == finding.evidence.npos) return core;
  return fmt::format("{}: {}", core,
                     finding.evidence.substr(name + 1, finding.evidence.rfind(')') - name - 1));
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

// Without the part for repair tools.
std::string_view without_repair(std::string_view reason) {
  for (const Action action : {Action::reboot, Action::replace}) {
    const std::string_view word = word_for_repair(action);
    if (reason.ends_with(word)) reason.remove_suffix(word.size());
  }
  return reason;
}

std::string reason_with(std::string_view mark, const Verdict& verdict) {
  const Judged& worst = verdict.findings.at(0);
  const std::string end = fmt::format("{}{}", mark, word_for_repair(worst.action));
  return plain(core_of(verdict, worst), longest_reason - end.size()).append(end);
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
          {"time", utc_text(verdict.time)},
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
  return reason_with(own_mark, verdict);
}

std::string reason_of_deep_checks(const Verdict& verdict) {
  return reason_with(deep_mark, verdict);
}

std::string reason_of_deep_checks(const std::string& what) {
  return plain(what, longest_reason - deep_mark.size()).append(deep_mark);
}

bool is_reason_of_deep_checks(std::string_view reason) {
  return without_repair(reason).ends_with(deep_mark);
}

bool is_own_reason(std::string_view reason) {
  return reason.starts_with(older_prefix) || reason == waiting_reason ||
         is_reason_of_deep_checks(reason) || without_repair(reason).ends_with(own_mark);
}

std::string comment_of(const Verdict& verdict) {
  const auto degrades = std::ranges::find(verdict.findings, Action::degrade, &Judged::action);
  if (degrades == verdict.findings.end()) return "";
  return plain(fmt::format("{}degraded: {}", comment_prefix, words_of(*degrades)), longest_reason);
}

}  // namespace slipway::health
