// Requeues a job, or ends it with a reason if it could never start again.
#include "launcher/job/requeue.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <set>
#include <thread>

#include "common/error.h"
#include "common/slurm_version.h"
#include "common/text.h"
#include "launcher/job/sbatch_options.h"

namespace slipway::job {
namespace {

constexpr auto deadline = std::chrono::seconds(30);
constexpr auto longest_stay = std::chrono::seconds(120);  // Slurm's KillWait is usually shorter
constexpr size_t longest_comment = 1000;

using Names = std::set<std::string>;

std::string show(const std::string& job, SlurmPrograms& slurm) {
  const ProcessResult result = slurm.run({"scontrol", "show", "job", "--oneliner", job}, "");
  if (!result.ok()) {
    throw Error(fmt::format("cannot read the state of job {} from Slurm: {}", job,
                            trim(result.timed_out ? "no answer" : result.errors)));
  }
  // A heterogeneous job's first record is its leader: Slurm requeues the job as a whole.
  return result.output.substr(0, result.output.find('\n'));
}

bool is_of(const JobRun& run, const std::string& record) {
  const std::string state = job_field(record, "JobState");
  return (state == "RUNNING" || state == "SUSPENDED") &&
         job_field(record, "Restarts") == std::to_string(run.restarts);
}

Names lines_of(const std::vector<std::string>& argv, SlurmPrograms& slurm) {
  const ProcessResult result = slurm.run(argv, "");
  if (!result.ok()) throw Error(fmt::format("`{}` failed: {}", join(argv, " "), result.errors));
  Names lines;
  for (std::string& line : split(result.output, '\n')) {
    if (!line.empty()) lines.insert(std::move(line));
  }
  return lines;
}

Names names_of(const std::string& list, SlurmPrograms& slurm) {
  return list.empty() ? Names{} : lines_of({"scontrol", "show", "hostnames", list}, slurm);
}

Names nodes_of(const std::string& partition, SlurmPrograms& slurm) {
  return lines_of({"sinfo", "--noheader", "--Node", "--partition=" + partition, "--format=%N"},
                  slurm);
}

size_t first_number(std::string_view text) {
  return to_number<size_t>(text.substr(0, text.find('-'))).value_or(0);
}

// The fewest nodes that a job requests. While a requeued job still completes, Slurm shows only the
// nodes that it holds; then use what its script requests or, failing that, all nodes that it had.
size_t least_nodes(const std::string& job, const std::string& running, const std::string& record,
                   SlurmPrograms& slurm) {
  if (job_field(record, "JobState") == "PENDING")
    return std::max<size_t>(first_number(job_field(record, "NumNodes")), 1);
  const ProcessResult script = slurm.run({"scontrol", "write", "batch_script", job, "-"}, "");
  const size_t wanted =
      sbatch_options(script.ok() ? script.output : "", submit_line_of(running)).least_nodes;
  std::string tres = job_field(running, "ReqTRES");  // newer Slurm only
  if (tres.empty()) tres = job_field(running, "TRES");
  const size_t at = tres.find("node=");
  const size_t had =
      at == tres.npos
          ? first_number(job_field(running, "NumNodes"))
          : to_number<size_t>(std::string_view(tres).substr(at + 5, tres.find(',', at) - at - 5))
                .value_or(1);
  return std::max<size_t>(wanted > 0 ? std::min(wanted, had) : had, 1);
}

// sbatch options that request the same as a pending job.
std::vector<std::string> same_request(const std::string& record, size_t nodes) {
  std::vector<std::string> options;
  const auto add = [&](const char* key, const char* option) {
    const std::string value = job_field(record, key);
    if (!value.empty()) options.push_back(fmt::format("--{}={}", option, value));
  };
  add("Partition", "partition");
  options.push_back(fmt::format("--nodes={}", nodes));
  add("NumTasks", "ntasks");
  add("MinCPUsNode", "mincpus");
  add("Features", "constraint");
  add("ReqNodeList", "nodelist");
  add("Reservation", "reservation");
  add("Account", "account");
  add("QOS", "qos");
  add("TimeLimit", "time");
  if (job_field(record, "OverSubscribe") == "NO") options.emplace_back("--exclusive");
  std::string gres = job_field(record, "TresPerNode");
  if (gres.starts_with("gres:") || gres.starts_with("gres/")) gres.erase(0, 5);
  if (!gres.empty()) options.push_back("--gres=" + gres);
  return options;
}

// Whether Slurm would reject such a job because it could never start.
bool never_starts(const std::string& record, size_t nodes, const Names& without,
                  SlurmPrograms& slurm) {
  std::vector<std::string> words = without_environment();
  words.insert(words.end(), {"sbatch", "--test-only", "--wrap=true"});
  for (std::string& option : same_request(record, nodes)) words.push_back(std::move(option));
  const std::vector<std::string> list(without.begin(), without.end());
  if (!list.empty()) words.push_back("--exclude=" + join(list, ","));
  const ProcessResult result = slurm.run(words, "");
  return !result.ok() &&
         result.errors.find("node configuration is not available") != std::string::npos;
}

// Why a pending job would never start without some nodes; Slurm would keep it forever, showing
// BadConstraints. Empty if it can start.
std::string why_never(const std::string& record, size_t least, const Names& without,
                      SlurmPrograms& slurm) {
  for (const std::string& name : names_of(job_field(record, "ReqNodeList"), slurm)) {
    if (without.contains(name)) return fmt::format("it requests {} with --nodelist", name);
  }
  size_t most = 0;
  for (const std::string& partition : split(job_field(record, "Partition"), ',')) {
    Names left = nodes_of(partition, slurm);
    for (const std::string& name : without) left.erase(name);
    most = std::max(most, left.size());
  }
  if (most < least) {
    return fmt::format("it needs {} nodes, but only {} are not excluded", least, most);
  }
  // Drained nodes may return to service: then the job waits for them, excluded or not.
  if (never_starts(record, least, without, slurm) &&
      !never_starts(record, least, names_of(job_field(record, "ExcNodeList"), slurm), slurm)) {
    return "no other nodes satisfy its request";
  }
  return "";
}

void update(const std::string& job, const std::string& what, int tries, SlurmPrograms& slurm) {
  // A signal that ends our step may also end scontrol, so try again.
  for (; tries > 0; --tries) {
    if (slurm.run({"scontrol", "update", "JobId=" + job, what}, "").ok()) return;
    slurm.pause(std::chrono::milliseconds(200));
  }
}

// Reads a line of sinfo, "n-1|IDLE+COMPLETING|": Slurm waits until the node has completed a job.
bool is_completing(std::string_view line) {
  const std::vector<std::string> words = split(to_lower(line), '|');
  return words.size() > 1 && words[1].find("completing") != std::string::npos &&
         words[1].find("down") == std::string::npos;
}

// Whether this Slurm, "slurm-wlm 22.05.8" for example, is older than 23.02.2. If the version cannot
// be read, assume that it is.
bool loses_gpus(SlurmPrograms& slurm) {
  return parse_slurm_version(slurm.run({"sinfo", "--version"}, "").output) < SlurmVersion{23, 2, 2};
}

RequeueResult end(const JobRun& run, const std::string& record, const std::string& why,
                  SlurmPrograms& slurm) {
  const std::string text =
      fmt::format("job {} cannot be requeued: {}", run.job, why).substr(0, longest_comment);
  update(run.job, "Comment=slipway launch: " + text, 5, slurm);
  const std::string output = job_field(record, "StdErr");
  if (!output.empty()) {
    slurm.run({"tee", "--append", output}, fmt::format("slipway launch: {}\n", text));
  }
  for (int tries = 5; tries > 0 && !slurm.run({"scancel", run.job}, "").ok(); --tries)
    slurm.pause(std::chrono::milliseconds(200));
  return {RequeueOutcome::ended, text};
}

}  // namespace

void ignore_end_of_step() {
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGCONT, SIGUSR1, SIGUSR2, SIGXCPU})
    ::signal(number, SIG_IGN);
}

ProcessResult RealSlurmPrograms::run(const std::vector<std::string>& argv,
                                     const std::string& input) {
  ProcessOptions options;
  options.deadline = deadline;
  options.input = input;
  return run_process(argv, options);
}

void RealSlurmPrograms::pause(std::chrono::milliseconds time) {
  std::this_thread::sleep_for(time);
}

std::vector<std::string> without_environment() {
  const char* const path = std::getenv("PATH");
  const char* const conf = std::getenv("SLURM_CONF");
  std::vector<std::string> words = {"env", "-i", fmt::format("PATH={}", path ? path : "")};
  if (conf != nullptr) words.push_back(fmt::format("SLURM_CONF={}", conf));
  return words;
}

std::string job_field(std::string_view record, std::string_view key) {
  const std::string wanted = fmt::format(" {}=", key);
  const size_t at = record.find(wanted);
  if (at == record.npos) return "";
  const size_t begin = at + wanted.size();
  const std::string value(record.substr(begin, record.find_first_of(" \n", begin) - begin));
  return value == "(null)" || value == "N/A" ? "" : value;
}

std::string submit_line_of(std::string_view record) {
  constexpr std::string_view key = " SubmitLine=";
  const size_t at = record.find(key);
  return at == record.npos ? "" : std::string(record.substr(at + key.size()));
}

bool is_current(const JobRun& run, SlurmPrograms& slurm) {
  return is_of(run, show(run.job, slurm));
}

RequeueResult requeue_job(const JobRun& run, const std::vector<std::string>& bad,
                          const std::string& reason, SlurmPrograms& slurm) {
  std::string record = show(run.job, slurm);
  if (!is_of(run, record)) return {};
  const auto ended = [&](const std::string& why) {
    return end(run, record, fmt::format("{}; last failure: {}", why, reason), slurm);
  };
  if (job_field(record, "BatchFlag") != "1") return ended("it has no batch script");
  if (job_field(record, "Requeue") != "1") return ended("--no-requeue forbids it");
  update(run.job, "Comment=" + fmt::format("slipway launch: {}", reason).substr(0, longest_comment),
         1, slurm);
  const ProcessResult queued = slurm.run({"scontrol", "requeue", run.job}, "");
  if (!queued.ok()) {
    // Someone else may have requeued or ended it first.
    if (!is_of(run, show(run.job, slurm))) return {};
    return ended(fmt::format("`scontrol requeue` failed: {}", trim(queued.errors)));
  }
  Names without(bad.begin(), bad.end());
  const std::string before = record;
  try {
    record = show(run.job, slurm);  // only a pending job shows its request
    without.merge(names_of(job_field(record, "ExcNodeList"), slurm));
    const std::string why =
        why_never(record, least_nodes(run.job, before, record, slurm), without, slurm);
    if (!why.empty()) return ended(why);
  } catch (const Error&) {
    // Unknown: assume that it can start.
  }
  if (!without.empty()) {
    const std::vector<std::string> list(without.begin(), without.end());
    update(run.job, "ExcNodeList=" + join(list, ","), 20, slurm);
  }
  return {RequeueOutcome::requeued, ""};
}

void stay_until_free(const std::vector<std::string>& nodes, SlurmPrograms& slurm) {
  if (nodes.empty() || !loses_gpus(slurm)) return;
  const std::vector<std::string> words = {"sinfo", "--noheader", "--Node",
                                          "--nodes=" + join(nodes, ","),
                                          "--Format=NodeHost:|,StateComplete:|"};
  for (int i = 0; i < longest_stay.count(); ++i) {
    const ProcessResult result = slurm.run(words, "");
    if (result.ok() && std::ranges::none_of(split(result.output, '\n'), is_completing)) return;
    slurm.pause(std::chrono::seconds(1));
  }
}

}  // namespace slipway::job
