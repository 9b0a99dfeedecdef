// Reads the text with which NCCL's RAS answers. There is JSON, too, from NCCL 2.28.7 on; but in
// 2.28.9 it is invalid just when ranks are missing, and it does not list dead processes.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <utility>

#include "common/nccl_ras.h"
#include "common/text.h"

namespace slipway {
namespace {

constexpr size_t most_findings = 10, longest_node = 64, longest_state = 80;

// The text between two others; empty if they are not there.
std::string_view between(std::string_view line, std::string_view before, std::string_view after) {
  const size_t begin = line.find(before);
  if (begin == line.npos) return {};
  line.remove_prefix(begin + before.size());
  const size_t end = after.empty() ? line.size() : line.find(after);
  return end == line.npos ? std::string_view() : line.substr(0, end);
}

std::optional<int64_t> number_after(std::string_view line, std::string_view before) {
  std::string_view rest = between(line, before, "");
  return to_number<int64_t>(rest.substr(0, rest.find_first_not_of("0123456789")));
}

// "process 1707 on 192.0.2.2"; empty if the line names none.
std::string process_in(std::string_view line) {
  const auto process = line.starts_with("Process ") ? number_after(line, "Process ")
                                                    : number_after(line, " process ");
  std::string_view node = between(line, " on node ", "");
  node = node.substr(0, node.find(' '));
  const bool is_name =
      !node.empty() && node.size() <= longest_node &&
      std::ranges::all_of(node, [](unsigned char each) {
        return std::isalnum(each) != 0 || each == '.' || each == ':' || each == '-' || each == '_';
      });
  return process && is_name ? fmt::format("process {} on {}", *process, node) : "";
}

struct RankState {
  int64_t rank = 0, size = 0;  // of its communicator; 0: unknown
  std::string state;           // "is missing"
  std::string process;
};

class Findings {
 public:
  // "    0         1         1         2         2         2   RUNNING      OK"
  bool is_row(std::string_view line) {
    std::vector<int64_t> numbers;
    for (const std::string& word : split(line, ' ')) {
      if (word.empty()) continue;
      const auto number = to_number<int64_t>(word);
      if (!number) break;
      numbers.push_back(*number);
    }
    constexpr size_t columns = 6, ranks_of_communicator = 4;
    if (numbers.size() != columns) return false;
    sizes_[numbers[0]] = numbers[ranks_of_communicator];
    return true;
  }

  void add(std::string_view line, bool is_indented) {
    if (!is_indented) return begin(line);
    const std::string process = process_in(line);
    if (line.starts_with("Process ")) {
      if (heading_ == "DEAD") processes_[process] = "is dead";
      if (heading_ == "INCOMPLETE") processes_[process] = "does not answer";
      return;
    }
    if (line.starts_with("Communicator ranks have different ")) {
      compare();
      function_ = std::string(between(line, "different ", " operation counts").substr(0, 32));
      return;
    }
    const auto count = number_after(line, " launched up to operation ");
    if (!function_.empty()) most_ = std::max(most_, count.value_or(0));
    const auto rank = line.starts_with("Rank ") ? number_after(line, "Rank ") : std::nullopt;
    if (!rank) return;
    RankState found = {*rank, size_, "", process};
    if (heading_ == "INCOMPLETE") {
      found.state = "is missing";
    } else if (heading_ == "ERROR") {
      found.state =
          fmt::format("reports: {}", between(line, " reported ", " --").substr(0, longest_state));
    } else if (line.find(" has status NOCOMM") != line.npos) {
      found.state = "has left the communicator";
    } else if (!function_.empty() && line.find(" launched ") != line.npos) {
      counts_.emplace_back(std::move(found), count.value_or(0));
      return;
    }
    if (!found.state.empty()) put(std::move(found));
  }

  std::vector<std::string> lines() {
    compare();
    std::vector<std::string> all;
    for (RankState& each : ranks_) {
      // Why a rank is missing.
      const auto process = processes_.find(each.process);
      if (each.state == "is missing" && process != processes_.end()) each.state = process->second;
      std::string text = fmt::format("rank {} ", each.rank);
      if (each.size > 0) text += fmt::format("of {} ", each.size);
      text += each.state;
      if (!each.process.empty()) text += fmt::format(" ({})", each.process);
      all.push_back(std::move(text));
    }
    for (const auto& [process, state] : processes_)
      if (!process.empty() &&
          std::ranges::find(ranks_, process, &RankState::process) == ranks_.end())
        all.push_back(fmt::format("{} {}", process, state));
    if (all.size() > most_findings) {
      const size_t more = all.size() - most_findings + 1;
      all.resize(most_findings - 1);
      all.push_back(fmt::format("and {} more", more));
    }
    return all;
  }

 private:
  // A line of the table, or a heading: "DEAD", "#0-0 (e9b24b8bbd98378a) INCOMPLETE".
  void begin(std::string_view line) {
    compare();
    heading_ = std::string(line.substr(line.rfind(' ') + 1));
    size_ = 0;
    const auto group = line.starts_with('#') ? number_after(line, "#") : std::nullopt;
    if (const auto size = sizes_.find(group.value_or(-1)); size != sizes_.end())
      size_ = size->second;
  }

  // Of ranks that differ, those with the most are not behind.
  void compare() {
    for (auto& [found, count] : counts_) {
      if (count >= most_) continue;
      found.state =
          fmt::format("has started {} {} operations, and others {}", count, function_, most_);
      put(std::move(found));
    }
    counts_.clear();
    function_.clear();
    most_ = 0;
  }

  // A process is in many communicators: the largest one tells most.
  void put(RankState found) {
    const auto known = std::ranges::find_if(ranks_, [&](const RankState& each) {
      return !found.process.empty() && each.process == found.process;
    });
    if (known == ranks_.end()) {
      ranks_.push_back(std::move(found));
    } else if (known->size < found.size) {
      *known = std::move(found);
    }
  }

  std::string heading_, function_;
  int64_t size_ = 0, most_ = 0;
  std::map<int64_t, int64_t> sizes_;              // of communicators, by the group
  std::map<std::string, std::string> processes_;  // their states
  std::vector<RankState> ranks_;
  std::vector<std::pair<RankState, int64_t>> counts_;
};

}  // namespace

std::vector<std::string> ras_findings(std::string_view answer) {
  Findings findings;
  for (const std::string& line : ras_lines(answer))
    if (!findings.is_row(line)) findings.add(trim(line), line.starts_with(' '));
  return findings.lines();
}

}  // namespace slipway
