// slipway health: check this node, and say whether it is fit for a job.
#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "common/command_line.h"
#include "common/error.h"
#include "common/file.h"
#include "common/installation.h"
#include "common/text.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/health_parts.h"
#include "launcher/commands/root_program.h"
#include "launcher/health/check_node.h"
#include "launcher/health/verdict.h"
#include "launcher/node/job_space.h"

namespace slipway::commands {
namespace {

namespace fs = std::filesystem;

// No other part of the program has this exit status: a failure of ours is never taken for a node's.
constexpr int unfit = 3;

std::string job_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// What Slurm tells a prolog or an epilog of its job.
void take_job(health::CheckOptions& options) {
  const std::string id = job_variable("SLURM_JOB_ID"), gpus = job_variable("SLURM_JOB_GPUS");
  if (!id.empty() && id.find_first_not_of("0123456789") == id.npos) options.job = id;
  const bool of_a_job =
      options.stage == health::Stage::prolog || options.stage == health::Stage::epilog;
  if (of_a_job && !gpus.empty()) options.job_gpus = health::parse_gpu_list(gpus);
  if (options.stage == health::Stage::prolog) {
    options.job_user = to_number<uid_t>(job_variable("SLURM_JOB_UID"));
  }
}

// Removes folders of jobs that Slurm has left. A folder that cannot be removed must not keep the
// node from being checked.
void sweep_job_folders() {
  try {
    const auto space = node::job_space();
    if (space) node::sweep_job_space(*space, std::chrono::seconds(2));
  } catch (
      const std::exception& error) {  // also of <filesystem>: jobs change their folders meanwhile
    fmt::print(stderr, "slipway health: folders of jobs are not removed: {}\n", error.what());
  }
}

int check(const health::CheckOptions& options, const std::string& policy, bool asked_to_skip,
          bool json) {
  health::Policy rules = read_policy(policy);
  if (asked_to_skip && rules.jobs_may_skip) {
    fmt::print("the job asked for no checks, and may\n");
    return 0;
  }
  const health::CheckOutcome result = health::check_node(options, std::move(rules));
  if (json) {
    fmt::print("{}\n", to_json(result.verdict).dump(2));
  } else {
    fmt::print("{}\n", line_of(result.verdict));
  }
  return result.job_may_start || result.job_has_ended ? 0 : unfit;
}

int look(Args args) {
  std::string stage = "manual", policy, profile(node_profile_path);
  bool json = false, act = false, asked_to_skip = false;
  CommandLine line(
      "slipway health", "[options]",
      "Check this node: GPUs, network, storage, memory, daemons, the kernel's log. "
      "Print one line that says whether it is fit for a job; exit status 3 when it is not.\n\n"
      "Other parts: `slipway health policy`, `slipway health report` and `slipway health clear`.");
  line.option("stage", "STAGE",
              "manual (default), prolog, epilog, periodic, or deep: also memory bandwidth, a "
              "computation, a collective and dcgmi",
              &stage);
  line.option("policy", "FILE",
              fmt::format("what findings mean here (default {}, else {}, if they exist)",
                          health::own_policy_path, health::cluster_policy_path),
              &policy);
  line.option("profile", "FILE", "the node profile (default /etc/slipway/node.json)", &profile);
  line.flag("act",
            "as root: drain the node in Slurm when it is unfit, resume it when it is fit "
            "again and we have drained it",
            &act);
  line.flag("skip-asked", "the job asks for no checks; the policy says whether it may",
            &asked_to_skip);
  line.flag("json", "print the verdict as JSON (schema slipway/health/1)", &json);
  line.example("slipway health", "on a node");
  line.example("slipway exec quickstart a3meganodeset-0 -- slipway health --json",
               "of a deployment on this machine");
  if (!line.parse(args)) return 0;

  health::CheckOptions options;
  const auto named = health::stage_named(stage);
  if (!named) {
    throw UsageError(fmt::format(
        "there is no stage `{}`: there are manual, prolog, epilog, periodic and deep", stage));
  }
  options.stage = *named;
  options.act = act;
  options.profile = profile;
  const bool is_root = ::geteuid() == 0;
  if (act && !is_root) throw Error("only root can tell Slurm");
  if (is_root) options.state = health::state_folder;
  take_job(options);
  if (act) {
    forget_environment();
    sweep_job_folders();
  }
  return check(options, policy, asked_to_skip, json);
}

}  // namespace

health::Policy read_policy(const std::string& own) {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  health::Policy policy = health::load_policy_file(find_installation().blueprints() / "catalogue",
                                                   own, sources, diagnostics);
  if (diagnostics.errors() == 0) return policy;
  std::fputs(render(diagnostics, source::color_for(2)).c_str(), stderr);
  throw ReportedError("the health policy is wrong");
}

int health(Args args) {
  if (!args.empty() && args[0] == "policy") return health_policy(args.subspan(1));
  if (!args.empty() && args[0] == "report") return health_report(args.subspan(1));
  if (!args.empty() && args[0] == "clear") return health_clear(args.subspan(1));
  return look(args);
}

}  // namespace slipway::commands
