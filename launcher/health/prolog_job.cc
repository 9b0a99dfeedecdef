// Ends a job whose prolog found its node unfit.
#include "launcher/health/prolog_job.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <thread>

#include "common/error.h"
#include "common/text.h"

namespace slipway::health {
namespace {

constexpr std::chrono::milliseconds time_for_other_nodes{1000};
constexpr std::chrono::milliseconds time_to_end_a_job{1000};

struct JobState {
  bool known = false;  // Slurm answered
  std::string state, leader;
  bool queued_again = false;  // what Slurm does if its prolog fails

  bool is_over() const {
    constexpr std::array alive = {"RUNNING", "CONFIGURING", "PENDING", "SUSPENDED"};
    return known && std::ranges::find(alive, state) == alive.end();
  }
};

// Uses squeue, not scontrol: none of these fields contains text that users choose.
JobState ask(const std::string& job, JobOfSlurm& slurm) {
  const ProcessResult result = slurm.run({"squeue", "--noheader", "--states=all", "--jobs=" + job,
                                          "--Format=state:|,batchflag:|,requeue:|,hetjobid:|"});
  const std::vector<std::string> words =
      split(result.output.substr(0, result.output.find('\n')), '|');
  if (!result.ok() || words.size() < 4) return {};
  const auto word = [&](size_t i) { return std::string(trim(words[i])); };
  return {true, word(0), word(3), word(1) == "1" && word(2) == "1"};
}

}  // namespace

ProcessResult RealJobOfSlurm::run(const std::vector<std::string>& argv) {
  ProcessOptions options;
  options.deadline = std::chrono::duration_cast<std::chrono::milliseconds>(
      end_ - std::chrono::steady_clock::now());
  if (options.deadline.count() <= 0) return {124, true, "", "no time left to ask Slurm"};
  return run_process(argv, options);
}

void RealJobOfSlurm::wait(std::chrono::milliseconds time) {
  std::this_thread::sleep_until(
      std::min(std::chrono::steady_clock::now() + time, end_ - time_to_end_a_job));
}

bool end_job_of_prolog(const std::string& job, const std::string& node, const std::string& reason,
                       JobOfSlurm& slurm) {
  try {
    JobState state = ask(job, slurm);
    std::string whole = job;
    // Slurm ends and requeues a heterogeneous job as a whole.
    if (to_number<uint64_t>(state.leader).value_or(0) > 0 && state.leader != job) {
      whole = state.leader;
      state = ask(whole, slurm);
    }
    if (state.is_over()) return true;
    if (!state.known || state.queued_again) return false;
    // The message that slurmd would have sent to srun and salloc.
    slurm.run(
        {"scontrol", "notify", whole, fmt::format("Prolog failure on node {}: {}", node, reason)});
    slurm.run({"scontrol", "update", "JobId=" + whole,
               fmt::format("AdminComment=node {} was unfit: {}", node, reason)});
    slurm.wait(time_for_other_nodes);
    // Another node of the job may have ended it first.
    return slurm.run({"scancel", whole}).ok() || ask(whole, slurm).is_over();
  } catch (const Error&) {
    return false;
  }
}

}  // namespace slipway::health
