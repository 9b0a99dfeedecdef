// Reads and checks the Slurm allocation that the launcher runs in.
#include "launcher/job/allocation.h"

#include <fmt/core.h>

#include <algorithm>
#include <thread>

#include "common/environment.h"
#include "common/error.h"
#include "common/host_name.h"
#include "common/process.h"
#include "common/text.h"
#include "launcher/job/requeue.h"
#include "launcher/job/sbatch_options.h"

namespace slipway::job {
namespace {

ProcessResult scontrol(std::vector<std::string> words) {
  words.insert(words.begin(), "scontrol");
  ProcessOptions options;
  options.deadline = std::chrono::seconds(30);
  return run_process(words, options);
}

}  // namespace

std::string job_label() {
  const std::string array = environment_variable("SLURM_ARRAY_JOB_ID"),
                    task = environment_variable("SLURM_ARRAY_TASK_ID");
  return array.empty() || task.empty() ? environment_variable("SLURM_JOB_ID") : array + "_" + task;
}

std::string heterogeneity_note() {
  const int64_t components = to_number<int64_t>(environment_variable("SLURM_HET_SIZE")).value_or(1);
  if (components <= 1) return "";
  std::vector<std::string> others;
  for (int64_t i = 1; i < components; ++i) {
    others.push_back(
        environment_variable(fmt::format("SLURM_JOB_NODELIST_HET_GROUP_{}", i).c_str()));
  }
  return fmt::format(
      "job {} is heterogeneous, and only its first component is used, not {}: start something else "
      "there with `srun --het-group`, or submit a job of one component",
      environment_variable("SLURM_JOB_ID"), join(others, ", "));
}

Allocation read_allocation() {
  Allocation allocation;
  allocation.label = job_label();
  allocation.job = environment_variable("SLURM_JOB_ID");
  allocation.restarts = to_number<int64_t>(environment_variable("SLURM_RESTART_COUNT")).value_or(0);
  const std::string list = environment_variable("SLURM_JOB_NODELIST");
  if (allocation.job.empty() || list.empty()) {
    throw UsageError(
        "not in a Slurm allocation: run this in an sbatch script (SLURM_JOB_ID and "
        "SLURM_JOB_NODELIST are not set)");
  }
  allocation.nodes = split(trim(run_checked({"scontrol", "show", "hostnames", list})), '\n');
  allocation.here = environment_variable("SLURMD_NODENAME");
  if (allocation.here.empty()) allocation.here = own_host_name();
  const auto nodes = static_cast<int64_t>(allocation.nodes.size());
  const int64_t per_node =
      to_number<int64_t>(environment_variable("SLURM_NTASKS_PER_NODE")).value_or(0);
  const int64_t tasks = to_number<int64_t>(environment_variable("SLURM_NTASKS")).value_or(0);
  allocation.tasks_per_node = std::max<int64_t>(1, per_node > 0 ? per_node : tasks / nodes);
  return allocation;
}

std::string check_allocation(const Allocation& allocation, bool no_kill) {
  const ProcessResult job = scontrol({"show", "job", "--oneliner", allocation.job});
  if (!job.ok()) {
    return fmt::format("slurmctld does not answer ({}): skipping the check of the allocation",
                       trim(job.errors));
  }
  const std::string shared = job_field(job.output, "OverSubscribe");
  if (shared != "NO") {
    throw Error(
        fmt::format("job {} may share its nodes (OverSubscribe={}): submit it with --exclusive",
                    allocation.job, shared));
  }
  if (no_kill || !environment_variable("SBATCH_NO_KILL").empty()) return "";
  const ProcessResult script = scontrol({"write", "batch_script", allocation.job, "-"});
  if (sbatch_options(script.ok() ? script.output : "", submit_line_of(job.output)).no_kill)
    return "";
  throw Error(fmt::format(
      "the script of job {} has no `#SBATCH --no-kill`, so Slurm would end the job when it loses "
      "its first node (if you gave sbatch --no-kill on its command line, give it here too)",
      allocation.job));
}

}  // namespace slipway::job
