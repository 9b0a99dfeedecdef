// Adds up what happened on a cluster.
#include "launcher/observe/report.h"

#include <algorithm>
#include <set>

#include "common/slurm_duration.h"
#include "common/text.h"

namespace slipway::observe {
namespace {

constexpr double seconds_per_hour = 3600;
constexpr size_t most_nodes_shown = 20;

// "billing=4,cpu=4,gres/gpu:h100=8,gres/gpu=8,node=2": the total without a type wins.
int64_t gpus_of_tres(std::string_view tres) {
  int64_t typed = 0;
  for (const std::string& part : split(tres, ',')) {
    const size_t equals = part.find('=');
    if (equals == std::string::npos) continue;
    const int64_t count = to_number<int64_t>(part.substr(equals + 1)).value_or(0);
    if (part.starts_with("gres/gpu=")) return count;
    if (part.starts_with("gres/gpu:")) typed += count;
  }
  return typed;
}

// Of a span, the hours from `from_ms` on.
double hours_since(int64_t begin_ms, int64_t end_ms, int64_t from_ms) {
  const int64_t begin = std::max(begin_ms, from_ms);
  return end_ms <= begin ? 0 : static_cast<double>(end_ms - begin) / 1000 / seconds_per_hour;
}

class ReportMaker {
 public:
  explicit ReportMaker(const ReportInput& input) : input_(input), from_ms_(input.from * 1000) {
    report_.from = input.from;
    report_.to = input.to;
    report_.gpus = input.gpus;
    report_.has_accounting = input.jobs.has_value();
  }

  Report make() {
    for (const AccountedJob& job : input_.jobs.value_or(std::vector<AccountedJob>())) add(job);
    for (const job::Goodput& goodput : input_.ledgers) add(goodput);
    for (const NodeEvent& event : input_.events) {
      ReportedTrouble& trouble = nodes_[event.node];
      ++trouble.events;
      trouble.hours_out += static_cast<double>(event.seconds) / seconds_per_hour;
      trouble.reason = event.reason;
    }
    if (report_.has_accounting && report_.gpus > 0) {
      const double all = static_cast<double>(report_.gpus) *
                         static_cast<double>(report_.to - report_.from) / seconds_per_hour;
      report_.idle_gpu_hours = std::max(all - report_.gpu_hours, 0.0);
    }
    finish_causes();
    finish_nodes();
    return std::move(report_);
  }

 private:
  void add(const AccountedJob& job) {
    const double hours =
        static_cast<double>(job.gpus) * static_cast<double>(job.seconds) / seconds_per_hour;
    report_.gpu_hours += hours;
    owners_[job.id.substr(0, job.id.find('_'))] = {job.user, job.account};
    owners_[job.id] = {job.user, job.account};
    for (ReportedUse* use : {&report_.by_user[job.user], &report_.by_account[job.account]}) {
      ++use->jobs;
      use->gpu_hours += hours;
    }
  }

  void add(const job::Goodput& goodput) {
    if (goodput.end_ms < from_ms_) return;
    ++report_.ledgers;
    double nodes = 0, hours = 0;
    for (const job::Run& run : goodput.runs) {
      nodes = static_cast<double>(run.nodes.size());
      hours += nodes * hours_since(run.begin_ms, run.end_ms, from_ms_);
      if (run.what.empty() || run.end_ms < from_ms_) continue;
      ++causes_[{run.what, run.blame}].failures;
      if (run.blame == "node") ++nodes_[run.node].blamed;
    }
    report_.ledger_node_hours += hours;
    for (const job::LostTime& lost : goodput.causes) {
      const auto cause = causes_.find({lost.what, lost.blame});
      if (cause == causes_.end()) continue;
      cause->second.lost_node_hours +=
          nodes * static_cast<double>(lost.lost_ms) / 1000 / seconds_per_hour;
    }
    const auto owner = owners_.find(goodput.job);
    if (owner == owners_.end() || !goodput.ratio()) return;
    for (ReportedUse* use :
         {&report_.by_user[owner->second.first], &report_.by_account[owner->second.second]}) {
      use->ledger_hours += hours;
      use->goodput_hours += hours * *goodput.ratio();
    }
  }

  void finish_causes() {
    for (auto& [key, cause] : causes_) {
      cause.what = key.first;
      cause.blame = key.second;
      if (cause.failures > 0) {
        cause.mtbf_node_hours = report_.ledger_node_hours / static_cast<double>(cause.failures);
      }
      report_.causes.push_back(cause);
    }
    std::ranges::stable_sort(report_.causes, std::greater(), &ReportedCause::failures);
  }

  void finish_nodes() {
    for (auto& [name, trouble] : nodes_) {
      trouble.node = name;
      report_.nodes.push_back(trouble);
    }
    std::ranges::stable_sort(report_.nodes, std::greater(), [](const ReportedTrouble& trouble) {
      return trouble.events + trouble.blamed;
    });
    if (report_.nodes.size() > most_nodes_shown) report_.nodes.resize(most_nodes_shown);
  }

  const ReportInput& input_;
  int64_t from_ms_;
  Report report_;
  std::map<std::string, std::pair<std::string, std::string>> owners_;  // user, account by job
  std::map<std::pair<std::string, std::string>, ReportedCause> causes_;
  std::map<std::string, ReportedTrouble> nodes_;
};

}  // namespace

std::optional<double> ReportedUse::goodput() const {
  return ledger_hours > 0 ? std::optional(goodput_hours / ledger_hours) : std::nullopt;
}

std::vector<AccountedJob> parse_accounted_jobs(std::string_view text) {
  std::vector<AccountedJob> jobs;
  for (const std::string& line : split(text, '\n')) {
    const std::vector<std::string> words = split(line, '|');
    if (words.size() != 7) continue;
    jobs.push_back({words[0], words[1], words[2], words[3].substr(0, words[3].find(' ')),
                    to_number<int64_t>(words[4]).value_or(0), gpus_of_tres(words[5]),
                    to_number<int64_t>(words[6]).value_or(0)});
  }
  return jobs;
}

std::vector<NodeEvent> parse_node_events(std::string_view text) {
  std::vector<NodeEvent> events;
  for (const std::string& line : split(text, '\n')) {
    const std::vector<std::string> words = split(line, '|');
    if (words.size() < 4 || words[0].empty()) continue;
    const std::vector<std::string> reason(words.begin() + 2, words.end() - 1);
    events.push_back(
        {words[0], words[1], join(reason, "|"), slurm_duration(words.back()).value_or(0)});
  }
  return events;
}

int64_t parse_gpu_count(std::string_view text) {
  std::set<std::string> seen;
  int64_t gpus = 0;
  for (const std::string& line : split(text, '\n')) {
    const size_t bar = line.find('|');
    if (bar == std::string::npos || !seen.insert(line.substr(0, bar)).second) continue;
    for (std::string part : split(line.substr(bar + 1), ',')) {
      if (!part.starts_with("gpu:")) continue;
      part = part.substr(0, part.find('('));  // "gpu:h100:8(S:0-1)"
      gpus += to_number<int64_t>(part.substr(part.rfind(':') + 1)).value_or(0);
    }
  }
  return gpus;
}

Report make_report(const ReportInput& input) {
  return ReportMaker(input).make();
}

}  // namespace slipway::observe
