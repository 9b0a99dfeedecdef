// What the kernel has said.
#include "launcher/job/kernel_log.h"

#include <algorithm>
#include <array>

#include "common/error.h"
#include "common/installation.h"

namespace slipway::job {
namespace {

constexpr size_t most_lines = 20;

void keep_last(std::vector<std::string>& lines) {
  if (lines.size() > most_lines) lines.erase(lines.begin(), lines.end() - most_lines);
}

}  // namespace

std::optional<health::Policy> policy_here() {
  try {
    source::Sources sources;
    source::Diagnostics diagnostics(sources);
    health::Policy policy = health::load_policy_file(find_installation().blueprints() / "catalogue",
                                                     {}, sources, diagnostics);
    if (diagnostics.errors() == 0) return policy;
  } catch (const std::exception&) {
    // Its looks say what is wrong with it.
  }
  return std::nullopt;
}

bool matters(const std::string& line) {
  constexpr std::array words = {"NVRM: Xid",
                                "Out of memory: Killed process",
                                "Memory cgroup out of memory",
                                "Hardware Error",
                                "Uncorrected error",
                                "fallen off the bus"};
  return std::ranges::any_of(words, [&](const char* word) { return line.find(word) != line.npos; });
}

bool asks_for_a_drain(const std::string& line, const health::Policy& policy) {
  const auto xid = health::parse_xid(line);
  return xid && policy.meaning_of_xid(xid->number).rule.action >= health::Action::drain;
}

KernelLog::KernelLog(std::optional<health::Policy> policy) : policy_(std::move(policy)) {
  skip();
}

KernelLines KernelLog::lines() {
  KernelLines lines;
  for (health::KernelRecord& record : reader_.read()) {
    if (!matters(record.text)) continue;
    if (policy_ && asks_for_a_drain(record.text, *policy_)) lines.broken.push_back(record.text);
    lines.all.push_back(std::move(record.text));
  }
  keep_last(lines.all);
  keep_last(lines.broken);
  return lines;
}

}  // namespace slipway::job
