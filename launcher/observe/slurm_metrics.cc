// Reads Slurm's state and turns it into metrics.
#include "launcher/observe/slurm_metrics.h"

#include <fmt/core.h>

#include <cstdlib>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "common/error.h"
#include "common/process.h"
#include "common/text.h"
#include "launcher/health/slurm_reasons.h"
#include "launcher/health/verdict.h"

namespace slipway::observe {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view state_sample = "slipway_slurm_node_state{node=\"";

// Who drained a node: reasons that we set have our mark, and slurmctld's own have no user's.
const char* drained_by(const health::Slurm::NodeLine& line) {
  if (health::is_own_reason(line.reason)) return "slipway";
  return health::is_reason_of_slurm(line.reason) ? "slurm" : "other";
}

void add_nodes(MetricSet& set, const std::vector<health::Slurm::NodeLine>& lines) {
  std::map<std::pair<std::string, std::string>, int64_t> counts;  // by partition and state
  for (const health::Slurm::NodeLine& line : lines) {
    const std::string state = node_state(line.state);
    ++counts[{line.partition, state}];
    set.add("slipway_slurm_node_state", {{"node", line.node}, {"state", state}}, 1);
    if (!line.state.starts_with("drain")) continue;
    set.add("slipway_slurm_node_drained_by", {{"node", line.node}, {"by", drained_by(line)}}, 1);
  }
  for (const auto& [key, count] : counts) {
    set.add("slipway_slurm_nodes", {{"partition", key.first}, {"state", key.second}},
            static_cast<double>(count));
  }
}

void add_jobs_of_slurm(MetricSet& set, const std::vector<SlurmJob>& jobs) {
  std::map<std::pair<std::string, std::string>, int64_t> counts;
  for (const SlurmJob& job : jobs) {
    ++counts[{job.partition, job.state}];
    if (job.state != "running") continue;
    set.add("slipway_slurm_job_info",
            {{"job", job.id},
             {"user", job.user},
             {"account", job.account},
             {"partition", job.partition}},
            1);
    set.add("slipway_slurm_job_nodes", {{"job", job.id}}, static_cast<double>(job.nodes));
    if (job.start > 0) {
      set.add("slipway_slurm_job_start_timestamp_seconds", {{"job", job.id}},
              static_cast<double>(job.start));
    }
  }
  for (const auto& [key, count] : counts) {
    set.add("slipway_slurm_jobs", {{"partition", key.first}, {"state", key.second}},
            static_cast<double>(count));
  }
}

}  // namespace

std::vector<SlurmJob> parse_jobs(std::string_view text) {
  std::vector<SlurmJob> jobs;
  for (const std::string& line : split(text, '\n')) {
    const std::vector<std::string> words = split(line, '|');
    if (words.size() != 7) continue;
    jobs.push_back({words[0], to_lower(words[1]), words[2], words[3], words[4],
                    to_number<int64_t>(words[5]).value_or(0),
                    to_number<int64_t>(words[6]).value_or(0)});
  }
  return jobs;
}

std::string node_state(std::string_view state) {
  static const std::map<char, const char*> marks = {
      {'~', "powered_down"}, {'%', "powering_down"}, {'#', "powering_up"}, {'!', "powering_down"}};
  if (state.empty()) return "unknown";
  const auto mark = marks.find(state.back());
  if (mark != marks.end()) return mark->second;
  const size_t end = state.find_last_not_of("*$@^+-");
  return std::string(state.substr(0, end == state.npos ? 0 : end + 1));
}

SlurmState read_slurm(Clock::time_point end) {
  SlurmState state;
  state.nodes = health::RealSlurm(end).nodes();
  ProcessOptions options;
  options.deadline = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
  if (options.deadline.count() <= 0) throw Error("no time left to ask Slurm");
  state.jobs = parse_jobs(run_checked({"env", "SLURM_TIME_FORMAT=%s", "squeue", "--noheader",
                                       "--all", "--format=%A|%T|%P|%u|%a|%D|%S"},
                                      options));
  return state;
}

void add_slurm(MetricSet& set, const SlurmState& state) {
  add_nodes(set, state.nodes);
  add_jobs_of_slurm(set, state.jobs);
}

std::string slurm_metrics(std::chrono::milliseconds limit) {
  MetricSet set;
  const auto begin = Clock::now();
  bool answered = false;
  try {
    add_slurm(set, read_slurm(begin + limit));
    answered = true;
  } catch (const Error&) {
    // the metric says so
  }
  set.add("slipway_slurm_up", {}, answered ? 1 : 0);
  set.add("slipway_slurm_read_timestamp_seconds", {}, static_cast<double>(std::time(nullptr)));
  set.add("slipway_slurm_read_seconds", {},
          std::chrono::duration<double>(Clock::now() - begin).count());
  return set.text();
}

std::string scrape_targets(std::string_view slurm_text, int port) {
  std::set<std::string> targets;
  for (const std::string& line : split(slurm_text, '\n')) {
    if (!line.starts_with(state_sample)) continue;
    if (line.find("state=\"power") != line.npos) continue;
    const size_t end = line.find('"', state_sample.size());
    targets.insert(
        fmt::format("{}:{}", line.substr(state_sample.size(), end - state_sample.size()), port));
  }
  return nlohmann::json::array({{{"targets", targets}, {"labels", nlohmann::json::object()}}})
             .dump() +
         "\n";
}

}  // namespace slipway::observe
