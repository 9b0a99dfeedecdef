// Finds what is new on the cluster, by what Slurm shows.
#include "launcher/tell/cluster_watch.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "common/count.h"
#include "common/error.h"
#include "common/process.h"
#include "common/secret.h"
#include "common/text.h"
#include "launcher/health/verdict.h"
#include "launcher/tell/spares.h"

namespace slipway::tell {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t node_width = 160, comment_width = 1024;

std::string ask_slurm(const std::vector<std::string>& argv, Clock::time_point end) {
  ProcessOptions options;
  options.deadline = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
  if (options.deadline.count() <= 0) throw Error("no time left to ask Slurm");
  return run_checked(argv, options);
}

// "drained*" and "down~" count; a node that Slurm powers off or on does not.
bool is_out_of_service(const health::Slurm::NodeLine& line) {
  return line.state.starts_with("drain") || line.state.starts_with("down") ||
         line.state.starts_with("fail");
}

// What is in `now` and not, or with another text, in `before`.
std::map<std::string, std::string> new_in(const std::map<std::string, std::string>& now,
                                          const std::map<std::string, std::string>& before) {
  std::map<std::string, std::string> fresh;
  for (const auto& [node, text] : now) {
    const auto old = before.find(node);
    if (old == before.end() || old->second != text) fresh.emplace(node, text);
  }
  return fresh;
}

// "FAILED" as "failed", "NODE_FAIL" as "lost a node".
std::string end_of_job(const std::string& state) {
  static const std::map<std::string, const char*> words = {
      {"BOOT_FAIL", "its nodes did not start"},
      {"NODE_FAIL", "it lost a node"},
      {"OUT_OF_MEMORY", "it ran out of memory"}};
  const auto found = words.find(state);
  return found == words.end() ? "its script failed" : found->second;
}

}  // namespace

std::map<std::string, std::string> parse_comments(std::string_view text) {
  std::map<std::string, std::string> comments;
  for (const std::string& line : split(text, '\n')) {
    if (line.size() <= node_width) continue;
    const std::string comment(trim(std::string_view(line).substr(node_width)));
    if (comment.empty() || comment == "(null)") continue;
    comments[std::string(trim(std::string_view(line).substr(0, node_width)))] = comment;
  }
  return comments;
}

ToldJobs parse_jobs(std::string_view text, std::string_view mark) {
  ToldJobs jobs;
  for (const std::string& line : split(text, '\n')) {
    if (!line.starts_with(mark)) continue;
    const std::vector<std::string> words = split(line.substr(mark.size()), '|');
    if (words.size() < 5) continue;
    const int64_t nodes = to_number<int64_t>(words[3]).value_or(0);
    if (words[1] != "RUNNING") {
      jobs.failed.push_back({words[0], words[1], words[2], nodes});
    } else if (const auto blamed = blamed_in(words.back())) {
      jobs.short_of_spares.push_back({words[0], words[2], nodes, *blamed});
    }
  }
  return jobs;
}

ClusterState read_cluster(Clock::time_point end) {
  ClusterState state;
  state.nodes = health::RealSlurm(end).nodes();
  state.comments = parse_comments(
      ask_slurm({"sinfo", "--noheader", "--Node", "--all",
                 fmt::format("--Format=NodeList:{},Comment:{}", node_width, comment_width)},
                end));
  const std::string mark = to_hex(random_secret()).substr(0, 32) + "|";
  state.jobs = parse_jobs(ask_slurm({"squeue", "--noheader", "--all",
                                     "--states=RUNNING,FAILED,NODE_FAIL,BOOT_FAIL,OUT_OF_MEMORY",
                                     fmt::format("--format={}%A|%T|%u|%D|%k", mark)},
                                    end),
                          mark);
  return state;
}

std::vector<Message> news(const ClusterState& state, const std::string& cluster, int job_nodes,
                          Known& known) {
  Known now;
  now.is_first = false;
  for (const health::Slurm::NodeLine& line : state.nodes) {
    // A node that waits for its deep checks was not in service.
    if (line.reason == health::waiting_reason) continue;
    if (is_out_of_service(line)) now.drained[line.node] = line.reason;
  }
  const std::string alarm = std::string(health::comment_prefix) + "ALARM";
  for (const auto& [node, comment] : state.comments) {
    if (comment.starts_with(alarm)) {
      now.alarms[node] = comment.substr(health::comment_prefix.size());
    }
  }
  std::vector<Message> messages;
  for (const auto& [node, reason] : new_in(now.drained, known.drained)) {
    messages.push_back({"drain", cluster, node, "", reason});
  }
  for (const auto& [node, text] : new_in(now.alarms, known.alarms)) {
    messages.push_back({"breaker", cluster, node, "", text});
  }
  for (const FailedJob& job : state.jobs.failed) {
    if (job.nodes < job_nodes) continue;
    now.failed_jobs.insert(job.id);
    if (known.failed_jobs.contains(job.id)) continue;
    messages.push_back({"job-failure", cluster, "", job.id,
                        fmt::format("{}, on {}, of user {}", end_of_job(job.state),
                                    counted(job.nodes, "node"), job.user)});
  }
  for (const ShortJob& job : state.jobs.short_of_spares) {
    if (job.nodes < job_nodes) continue;
    now.short_jobs.insert(job.id);
    if (known.short_jobs.contains(job.id)) continue;
    messages.push_back(
        {"spares", cluster, "", job.id,
         fmt::format("{} blamed so far, on {}, of user {}", counted(job.blamed, "node"),
                     counted(job.nodes, "node"), job.user)});
  }
  if (std::exchange(known, std::move(now)).is_first) messages.clear();
  return messages;
}

}  // namespace slipway::tell
