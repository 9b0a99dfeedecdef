// Turns the numbers of jobs' launchers into metrics.
#include "launcher/observe/job_metrics.h"

#include <fcntl.h>

#include <map>
#include <numeric>

#include "common/error.h"
#include "common/file.h"
#include "common/text.h"
#include "launcher/health/slots.h"

namespace slipway::observe {
namespace {

constexpr size_t largest_ledger_file = size_t{1} << 30;

// In the terms of ml-goodput-measurement, in which users compare. What that package cannot see from
// outside the program has no counterpart here.
const char* badput_type(job::Phase phase) {
  switch (phase) {
    case job::Phase::lost_work:
      return "WASTED_PROGRESS_FROM_DISRUPTION";
    case job::Phase::detection:
    case job::Phase::recovery:
    case job::Phase::waiting:
      return "INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION";
    case job::Phase::startup:
      return "PROGRAM_STARTUP";
    default:
      return "OTHER";
  }
}

double seconds_of(int64_t milliseconds) {
  return static_cast<double>(milliseconds) / 1000;
}

}  // namespace

void add_job(MetricSet& set, const std::string& job, const job::JobState& state) {
  const Labels labels = {{"job", job}};
  const auto put = [&](std::string_view name, int64_t value) {
    set.add(name, labels, static_cast<double>(value));
  };
  if (state.heartbeat_ms > 0) {
    set.add("slipway_job_heartbeat_timestamp_seconds", labels, seconds_of(state.heartbeat_ms));
  }
  put("slipway_job_attempts", state.attempts);
  put("slipway_job_requeues", state.requeues);
  put("slipway_job_nodes", state.nodes);
  put("slipway_job_spare_nodes", state.spares);
  put("slipway_job_blamed_nodes", state.blamed_nodes);
  const std::pair<const char*, int64_t> failures[] = {{"node", state.node_failures},
                                                      {"application", state.application_failures},
                                                      {"unknown", state.unknown_failures}};
  for (const auto& [blame, count] : failures) {
    set.add("slipway_job_failures", {{"job", job}, {"blame", blame}}, static_cast<double>(count));
  }
  if (state.millijoules >= 0) {
    set.add("slipway_job_gpu_energy_joules", labels, seconds_of(state.millijoules));
  }
  if (!state.reports_steps) return;
  put("slipway_job_step", state.step);
  put("slipway_job_steps_kept", state.steps);
  put("slipway_job_steps_lost", state.lost_steps);
  const int64_t all = std::accumulate(state.phase_ms.begin(), state.phase_ms.end(), int64_t{0});
  const int64_t good = state.phase_ms[static_cast<size_t>(job::Phase::productive)];
  if (all > 0) {
    set.add("slipway_job_goodput_ratio", labels,
            static_cast<double>(good) / static_cast<double>(all));
  }
  set.add("slipway_job_goodput_seconds", labels, seconds_of(good));
  std::map<std::string, int64_t> badput;
  for (size_t i = 0; i < job::phases; ++i) {
    const auto phase = static_cast<job::Phase>(i);
    if (phase != job::Phase::productive) badput[badput_type(phase)] += state.phase_ms[i];
  }
  for (const auto& [type, length] : badput) {
    set.add("slipway_job_badput_seconds", {{"job", job}, {"type", type}}, seconds_of(length));
  }
}

void add_jobs(MetricSet& set, const std::string& node, const std::filesystem::path& folder) {
  const Fd fd = health::open_slots(folder);
  if (!fd) return;
  int64_t jobs = 0;
  for (const std::string& name : health::slot_names(fd)) {
    if (!to_number<uint32_t>(name)) continue;
    ++jobs;
    struct stat info = {};
    const Fd slot = health::open_slot(fd, name, O_RDONLY, info);
    const std::string text = slot ? health::read_slot(slot) : "";
    if (text.empty()) continue;  // a job without our launcher
    try {
      add_job(set, name, job::parse_job_state(text));
    } catch (const Error&) {
      continue;
    }
  }
  set.add("slipway_node_jobs", {{"node", node}}, static_cast<double>(jobs));
}

void add_ledger(MetricSet& set, const std::filesystem::path& file) {
  job::JobStateFollower follower;
  const job::Ledger ledger = job::parse_ledger(read_regular_file(file, largest_ledger_file), file);
  for (const job::Entry& entry : ledger.entries) follower.add(entry);
  add_job(set, ledger.entries.front().job, follower.state());
}

}  // namespace slipway::observe
