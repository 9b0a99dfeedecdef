// Asks Slurm for times.
#include "launcher/node/slurm_times.h"

#include <algorithm>

#include "common/slurm_duration.h"
#include "common/text.h"
#include "launcher/node/ask_slurm.h"

namespace slipway::node {
namespace {

using namespace std::chrono_literals;

// The value of "KEY=" in a line of words; empty if it is not there.
std::string word_after(const std::string& line, std::string_view key) {
  for (const std::string& word : split(line, ' ')) {
    if (word.starts_with(key)) return word.substr(key.size());
  }
  return "";
}

}  // namespace

std::chrono::seconds global_resume_timeout(const std::string& config) {
  for (const std::string& line : split(config, '\n')) {
    // "ResumeTimeout           = 300 sec"
    const size_t equals = line.find('=');
    if (equals == line.npos || trim(std::string_view(line).substr(0, equals)) != "ResumeTimeout")
      continue;
    const std::string value(trim(std::string_view(line).substr(equals + 1)));
    return std::chrono::seconds(to_number<long>(value.substr(0, value.find(' '))).value_or(60));
  }
  return 60s;
}

std::map<std::string, std::chrono::seconds> resume_timeouts(const std::string& partitions,
                                                            const std::string& config) {
  const std::chrono::seconds otherwise = global_resume_timeout(config);
  std::map<std::string, std::chrono::seconds> timeouts;
  for (const std::string& line : split(partitions, '\n')) {
    const std::string name = word_after(line, "PartitionName=");
    if (name.empty()) continue;
    // A partition without its own shows "GLOBAL".
    const auto own = to_number<long>(word_after(line, "ResumeTimeout="));
    timeouts[name] = own ? std::chrono::seconds(*own) : otherwise;
  }
  return timeouts;
}

std::chrono::seconds share_of(std::chrono::seconds resume_timeout) {
  return resume_timeout - std::clamp<std::chrono::seconds>(resume_timeout / 10, 5s, 30s);
}

void ask_for_timeouts(ResumeOrder& order) {
  const auto timeouts =
      resume_timeouts(ask_slurm({"/usr/bin/scontrol", "--oneliner", "show", "partition"}),
                      ask_slurm({"/usr/bin/scontrol", "show", "config"}));
  // "c-gpu-0 train", a line for each node and each of its partitions. Of several, Slurm takes the
  // longest time.
  const std::string pairs = ask_slurm({"/usr/bin/sinfo", "--noheader", "--Node", "--all",
                                       "--nodes=" + join(order.nodes, ","), "--format=%N %R"});
  for (const std::string& line : split(pairs, '\n')) {
    const size_t space = line.find(' ');
    if (space == line.npos) continue;
    const auto timeout = timeouts.find(std::string(trim(std::string_view(line).substr(space + 1))));
    if (timeout == timeouts.end()) continue;
    std::chrono::seconds& longest = order.timeouts[line.substr(0, space)];
    longest = std::max(longest, share_of(timeout->second));
  }
}

void ask_for_time_limits(ResumeOrder& order) {
  if (order.jobs.empty()) return;
  std::vector<std::string> ids;
  for (const WaitingJob& job : order.jobs) ids.push_back(std::to_string(job.id));
  // "1234 1-00:00:00", or "1234 INVALID"; not of jobs that are gone
  const std::string answer =
      ask_slurm({"/usr/bin/squeue", "--noheader", "--jobs=" + join(ids, ","), "--format=%A %l"});
  for (const std::string& line : split(answer, '\n')) {
    const size_t space = line.find(' ');
    if (space == line.npos) continue;
    const auto id = to_number<long>(line.substr(0, space));
    for (WaitingJob& job : order.jobs) {
      if (job.id != id) continue;
      job.limit_seconds =
          slurm_duration(trim(std::string_view(line).substr(space + 1))).value_or(0);
    }
  }
}

}  // namespace slipway::node
