// `slipway health`: checks this node and reports whether it is fit for a job.
#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "common/command_line.h"
#include "common/environment.h"
#include "common/error.h"
#include "common/file.h"
#include "common/installation.h"
#include "common/locale_text.h"
#include "common/text.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/health_parts.h"
#include "launcher/commands/own_profile.h"
#include "launcher/commands/root_program.h"
#include "launcher/commands/verb.h"
#include "launcher/health/check_node.h"
#include "launcher/health/verdict.h"
#include "launcher/node/job_space.h"

namespace slipway::commands {
namespace {

namespace fs = std::filesystem;

// Takes the job from the environment of a prolog or an epilog.
void take_job(health::CheckOptions& options) {
  const std::string id = environment_variable("SLURM_JOB_ID"),
                    gpus = environment_variable("SLURM_JOB_GPUS");
  if (!id.empty() && id.find_first_not_of("0123456789") == id.npos) options.job = id;
  const bool of_a_job =
      options.stage == health::Stage::prolog || options.stage == health::Stage::epilog;
  if (of_a_job && !gpus.empty()) options.job_gpus = health::parse_gpu_list(gpus);
  if (options.stage == health::Stage::prolog) {
    options.job_user = to_number<uid_t>(environment_variable("SLURM_JOB_UID"));
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

// Where nobody wrote a profile, the machine is checked as what it says that it is.
void describe_without_profile(health::CheckOptions& options) {
  std::error_code ignored;
  if (options.stage != health::Stage::manual || fs::exists(options.profile, ignored)) return;
  try {
    options.described = describe_own_node();
  } catch (const Error&) {  // not on a cluster, which the check reports
    return;
  }
  fmt::print(stderr,
             "slipway health: {} is missing, so this machine is compared with what it says about "
             "itself\n",
             options.profile.string());
}

int check(const health::CheckOptions& options, const std::string& policy, bool asked_to_skip,
          bool json) {
  health::Policy rules = read_policy(policy);
  if (asked_to_skip && rules.jobs_may_skip) {
    fmt::print("skipped: the job asked for no checks, and the policy allows it\n");
    return 0;
  }
  const health::CheckOutcome result = health::check_node(options, std::move(rules));
  if (json) {
    fmt::print("{}\n", to_json(result.verdict).dump(2));
  } else {
    fmt::print("{}\n", for_locale(line_of(result.verdict)));
  }
  // A fit node that waits for its deep checks fails prologs only: Slurm would drain it for an
  // epilog.
  const bool only_waits = options.stage != health::Stage::prolog && result.verdict.fit();
  return result.job_may_start || result.job_has_ended || only_waits ? 0 : unfit;
}

constexpr Part parts[] = {{"policy", health_policy}, {"report", health_report},
                          {"clear", health_clear},   {"nhc", health_nhc},
                          {"admit", health_admit},   {"examine", health_examine}};

int check_node(Args args) {
  std::string stage = "manual", policy, profile(node_profile_path);
  bool json = false, act = false, asked_to_skip = false;
  CommandLine line("slipway health", "Check this node and report whether it is fit for a job.");
  line.about(
      "GPUs, network, storage, memory, daemons and the kernel's log are checked; the result is "
      "one line. Slurm's prolog and epilog run the same checks through the plugin node_health. "
      "Anyone may check; without a node profile, the machine is compared with what it says about "
      "itself.");
  for (const Part& part : parts) add_part(line, part, false);
  line.option("stage", "manual|prolog|epilog|periodic|deep",
              "which checks to run; deep adds memory bandwidth, a computation, a collective and "
              "dcgmi",
              &stage);
  line.option("policy", "FILE", "what each finding means", &policy, health::usual_policy_files());
  line.option("profile", "FILE", "the node profile", &profile);
  line.flag("act",
            "drain the node in Slurm if it is unfit, and resume it once it is fit again (root "
            "only)",
            &act);
  line.flag("skip-asked", "the job asked to skip the checks; the policy decides whether it may",
            &asked_to_skip);
  line.json("schema slipway/health/1", &json);
  line.example("slipway health", "check the node that you are on");
  line.example("slipway exec quickstart a3meganodeset-0 -- slipway health --json",
               "check a node of a local deployment");
  line.exit_status("0", "the node is fit");
  line.exit_status("1", "the checks could not run");
  line.exit_status("3", "the node is unfit");
  line.file(std::string(node_profile_path), "the node profile");
  line.file(health::own_policy_path, "this node's own policy");
  line.file(health::cluster_policy_path, "the cluster's policy");
  line.see_also("node_health(8)");
  if (!line.parse(args)) return 0;

  health::CheckOptions options;
  const auto named = health::stage_named(stage);
  if (!named) {
    throw UsageError(
        fmt::format("unknown stage `{}`; known: manual, prolog, epilog, periodic, deep", stage));
  }
  options.stage = *named;
  options.act = act;
  options.profile = profile;
  const bool is_root = ::geteuid() == 0;
  if (act && !is_root) throw Error("--act needs root");
  if (is_root) options.state = health::state_folder;
  take_job(options);
  if (act) {
    forget_environment();
    sweep_job_folders();
  } else {
    describe_without_profile(options);
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
  for (const Part& part : parts) {
    if (args.empty() || args[0] != part.name) continue;
    return run_main(fmt::format("slipway health {}", part.name),
                    [&] { return part.run(args.subspan(1)); });
  }
  return check_node(args);
}

}  // namespace slipway::commands
