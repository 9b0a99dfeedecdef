// Finds what is new on the cluster: nodes that were taken out of service, nodes that the breaker
// kept in service although they are unfit, jobs that failed, and jobs that have no spare node left.
//
// Slurm knows all of these, with the reasons that health checks gave it. So one program on the
// controller tells people about the whole cluster, at one rate, from where the network lets it.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/health/slurm.h"
#include "launcher/tell/message.h"
#include "launcher/tell/rate_limit.h"

namespace slipway::tell {

struct FailedJob {
  std::string id, state, user;  // "123", "NODE_FAIL", "alice"
  int64_t nodes = 0;
};

// A job under `slipway launch` that lost its last spare.
struct ShortJob {
  std::string id, user;
  int64_t nodes = 0, blamed = 0;
};

struct ToldJobs {
  std::vector<FailedJob> failed;  // that slurmctld still knows
  std::vector<ShortJob> short_of_spares;
};

// What one reading of Slurm shows.
struct ClusterState {
  std::vector<health::Slurm::NodeLine> nodes;
  std::map<std::string, std::string> comments;  // by node; also those of others
  ToldJobs jobs;
};

// Runs sinfo twice and squeue. Throws Error if Slurm does not answer until `end`.
ClusterState read_cluster(std::chrono::steady_clock::time_point end);

// Parses what `sinfo --noheader --Node --Format=NodeList:160,Comment:1024` prints.
std::map<std::string, std::string> parse_comments(std::string_view text);
// Parses what `squeue --noheader --format=MARK%A|%T|%u|%D|%k` prints. A line that does not begin
// with `mark` belongs to a job's comment, which is anybody's text.
ToldJobs parse_jobs(std::string_view text, std::string_view mark);

// What we have sent, or what was so before we began.
struct Known {
  bool is_first = true;                        // nothing was read yet
  std::map<std::string, std::string> drained;  // nodes and their reasons
  std::map<std::string, std::string> alarms;   // nodes and their alarms
  std::set<std::string> failed_jobs, short_jobs;
};

// The messages about what is in `state` and not in `known`, which it updates. What the first
// reading shows is old. `job_nodes`: failures of smaller jobs are left out.
std::vector<Message> news(const ClusterState& state, const std::string& cluster, int job_nodes,
                          Known& known);

// A file with these, so that a restart repeats and forgets nothing. A file that is missing or
// broken is like none.
struct Memory {
  Known known;
  RateLimit::State sent;
};
Memory load_memory(const std::filesystem::path& file);
void save_memory(const std::filesystem::path& file, const Memory& memory);

}  // namespace slipway::tell
