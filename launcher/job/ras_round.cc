// Asks NCCL's RAS through agents.
#include "launcher/job/ras_round.h"

#include <algorithm>
#include <string_view>

#include "common/nccl_ras.h"
#include "common/text.h"

namespace slipway::job {
namespace {

constexpr auto answer_limit = std::chrono::seconds(6);  // agents take five at most
constexpr size_t most_ras_lines = 10, longest_ras_line = 200;

// "… (process 7 on 192.0.2.2)" with the node's name in place of its address.
std::string with_name(const std::string& finding, const std::map<std::string, std::string>& names) {
  constexpr std::string_view before = " on ";
  const size_t at = finding.find(before, finding.find("process "));
  if (at == finding.npos) return finding;
  const size_t begin = at + before.size(), end = finding.find_first_of(" )", begin);
  const auto name = names.find(finding.substr(begin, end == finding.npos ? end : end - begin));
  if (name == names.end()) return finding;
  return finding.substr(0, begin) + name->second + (end == finding.npos ? "" : finding.substr(end));
}

}  // namespace

std::vector<std::string> RasRound::begin(int64_t attempt, const std::vector<std::string>& nodes,
                                         const std::vector<std::string>& suspects) {
  *this = {};
  attempt_ = attempt;
  end_ = std::chrono::steady_clock::now() + answer_limit;
  std::vector<std::string> others;
  for (const std::string& node : nodes)
    if (std::ranges::find(suspects, node) == suspects.end()) others.push_back(node);
  if (others.empty()) others = nodes;
  if (!others.empty()) asked_ = {others.front(), others.back()};
  return {asked_.begin(), asked_.end()};
}

void RasRound::hear(const std::string& node, const RasSaid& said) {
  if (said.attempt != attempt_ || asked_.erase(node) == 0) return;
  answered_ = answered_ || said.answered;
  for (const std::string& finding : said.findings) {
    const std::string line = join(ras_lines(finding), " ").substr(0, longest_ras_line);
    if (findings_.size() < most_ras_lines && std::ranges::find(findings_, line) == findings_.end())
      findings_.push_back(line);
  }
}

bool RasRound::is_over() const {
  return asked_.empty() || std::chrono::steady_clock::now() >= end_;
}

std::string RasRound::words(const std::map<std::string, std::string>& names) const {
  if (!answered_) return "";
  std::vector<std::string> findings;
  for (const std::string& each : findings_) findings.push_back(with_name(each, names));
  return "NCCL's RAS: " +
         (findings.empty() ? "no rank differs from the others" : join(findings, ", "));
}

}  // namespace slipway::job
