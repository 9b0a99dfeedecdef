// nccl_env in slurmstepd, on a node of the job.
#include "spank-plugins/nccl_env/remote.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "common/error.h"
#include "common/installation.h"
#include "common/text.h"
#include "spank-plugins/nccl_env/below_us.h"
#include "spank-plugins/nccl_env/decide.h"
#include "spank-plugins/nccl_env/image.h"
#include "spank-plugins/nccl_env/inspector.h"
#include "spank-plugins/nccl_env/job.h"
#include "spank-plugins/nccl_env/table.h"
#include "spank-plugins/spank/guard.h"

namespace slipway::nccl_env::remote {
namespace {

// The state of this slurmstepd; tasks are forked from it and inherit a copy.
struct Step {
  std::optional<Arguments> arguments;
  std::optional<Mode> mode;  // --nccl-env, if given
  bool watch = false;        // --nccl-watch

  // Decided by user_init, for tasks with GPUs; others get nothing.
  bool decided = false;
  Resolution resolution;
  Environment job;    // the step's environment, without our variables
  Environment users;  // the user's own NCCL variables
  NodeProfile profile;
  std::vector<Finding> findings;

  // A plugin that applies a container's image after us; empty: none.
  std::string container_below;
};

Step step;

void check(spank::Status status, const std::string& what) {
  if (!status) throw Error(fmt::format("{}: {}", what, status.text()));
}

void change(const spank::Handle& slurm, const std::string& name,
            const std::optional<std::string>& value) {
  if (value) {
    check(slurm.setenv(name, *value), "cannot set " + name);
  } else {
    check(slurm.unsetenv(name), "cannot unset " + name);
  }
}

void apply(const spank::Handle& slurm, const Resolution& resolution) {
  for (const Decision& decision : resolution.decisions) {
    if (decision.action != Action::keep) change(slurm, decision.name, decision.value);
  }
  change(slurm, marker_name, resolution.marker);
}

// Prints to the task's stderr, which belongs to the user: before that, there is nowhere to print.
void print(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
    if (n > 0) {
      text.remove_prefix(static_cast<size_t>(n));
    } else if (n == 0 || errno != EINTR) {
      return;
    }
  }
}

// What sbatch and salloc pass of our options to the whole job. Slurm passes an option in its own
// variable, which it reads for the callback and removes; but `--export=NONE` keeps only SLURM_*, so
// then these variables alone arrive, and no callback is called (seen in 22.05).
constexpr const char* option_of_job = "SLURM_SPANK__SLURM_SPANK_OPTION_nccl_env_nccl_env";
constexpr const char* watch_of_job = "SLURM_SPANK__SLURM_SPANK_OPTION_nccl_env_nccl_watch";

// The names of variables whose values in the job beat those of a container's image. pyxis and our
// own plugin read it after all plugins' slurm_spank_init, unless --container-env is given.
constexpr const char* kept_in_container = "PYXIS_CONTAINER_ENV";

void take_option_of_job(const Environment& environment) {
  const auto option = environment.find(option_of_job);
  if (option == environment.end()) return;
  spank::guarded("option ignored", [&] {
    take_option(option->second.c_str());
    return 0;
  });
}

std::string text_of(const Environment& environment, const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

Environment read_environment(const spank::Handle& slurm) {
  auto environment = slurm.environment();
  if (!environment) throw Error("cannot read the job's environment");
  return *std::move(environment);
}

void decide_step(const spank::Handle& slurm, const Environment& environment, const Asked& asked) {
  const Arguments& arguments = *step.arguments;
  step.profile = load_node_profile(arguments.profile_path);
  Decided decided = decide(
      step.profile, arguments, asked, environment,
      {has_several_nodes(environment, slurm.node_count()), text_of(environment, digest_name)});
  step.resolution = std::move(decided.resolution);
  step.findings = std::move(decided.findings);
  step.users = users_own(environment);
  step.decided = true;
}

// Of the step's first task.
std::string table_of(const Resolution& resolution, bool gpus) {
  if (step.mode == Mode::show)
    return gpus ? table(step.profile, resolution) : table_without_gpus(step.profile);
  return step.mode == Mode::warn && gpus ? table_of_differences(step.profile, resolution) : "";
}

// The transport's libraries that the task does not find under `root`, although the node has them:
// it is in a container.
std::vector<std::string> hidden_libraries(const std::string& root) {
  const NodeTransport::Libraries& libraries = step.profile.transport.libraries;
  const bool ours = std::ranges::any_of(step.resolution.decisions, [](const Decision& each) {
    return each.name == "LD_LIBRARY_PATH" && each.action == Action::set;
  });
  std::vector<std::string> hidden;
  for (const std::string& name : libraries.names) {
    const std::string path = libraries.folder + "/" + name;
    const std::string in_container = root + path;
    if (ours && ::access(in_container.c_str(), F_OK) != 0) hidden.push_back(path);
  }
  return hidden;
}

void warn(const std::string& text) {
  print(fmt::format("nccl_env: warning: {}: {}\n", step.profile.node, printable(text)));
}

void warn_of_lack(const std::vector<std::string>& hidden, const std::string& folder) {
  if (hidden.empty()) return;
  warn(
      fmt::format("the container lacks {}: add --container-mounts={}", join(hidden, ", "), folder));
}

void warn_of_hidden(const std::string& root) {
  warn_of_lack(hidden_libraries(root), step.profile.transport.libraries.folder);
  const std::filesystem::path profiler = own_installation().nccl_profiler();
  const bool ours = std::ranges::any_of(step.resolution.decisions, [&](const Decision& each) {
    return each.name == profiler_variable && each.action == Action::set && each.value == profiler;
  });
  if (ours && ::access((root + profiler.string()).c_str(), F_OK) != 0)
    warn_of_lack({profiler}, profiler.parent_path());
}

// The container's plugin acts after us, so that only the program's own environment shows who won.
void tell_after_start() {
  watch_start([](const Environment& seen, const std::string& root) {
    for (const std::string& each : lost_to_image(step.resolution, step.users, seen)) {
      warn(fmt::format("the container image won: {}; put nccl_env below {} in plugstack.conf", each,
                       step.container_below));
    }
    warn_of_hidden(root);
  });
}

// The longest NAME=value that a program can be started with, including the final 0: execve(2).
constexpr size_t longest_variable = 128 << 10;

void hand_on_users(const spank::Handle& slurm) {
  for (const auto& [name, value] : step.users) {
    const std::string copy = std::string(users_prefix) + name;
    if (copy.size() + value.size() + 2 <= longest_variable) {
      change(slurm, copy, value);
    } else if (slurm.global_task_id() == 0U) {
      print(fmt::format("nccl_env: warning: {} is too long to protect from a container image\n",
                        printable(name)));
    }
  }
}

// Findings that every node has are reported by the first node only; others, by each node.
bool tells(const Finding& finding, const spank::Handle& slurm) {
  return slurm.local_task_id() == 0U && (!finding.everywhere || slurm.node_id() == 0U);
}

// Returns false if the task must not start.
bool tell_findings(const spank::Handle& slurm) {
  const bool may_fail = step.mode != Mode::warn;
  bool fails = false;
  for (const Finding& finding : step.findings) {
    const bool fatal = finding.fatal && may_fail;
    if (tells(finding, slurm) && !(fatal && fails)) {
      print(fmt::format("nccl_env: {}: {}\n", fatal ? "this job cannot work" : "warning",
                        printable(finding.text)));
    }
    fails = fails || fatal;
  }
  return !fails;
}

}  // namespace

void begin(std::optional<Arguments> arguments) {
  step = {};
  step.arguments = std::move(arguments);
}

void init(const spank::Handle& slurm) {
  if (!step.arguments) return;
  step.container_below = container_plugin_below();
  if (step.container_below.empty()) return;
  const Environment environment = read_environment(slurm);
  std::string names = text_of(environment, kept_in_container);
  for (const std::string& name : names_to_keep(*step.arguments, environment))
    names += (names.empty() ? "" : ",") + name;
  if (!names.empty()) change(slurm, kept_in_container, names);
}

void take_option(const char* value) {
  // sbatch and srun rejected unknown values, so this can only be another version's value. It must
  // not fail a job that is already here.
  step.mode = parse_mode(value, "--nccl-env");
}

void take_watch() {
  step.watch = true;
}

void user_init(const spank::Handle& slurm) {
  if (!step.arguments) return;
  const Environment environment = read_environment(slurm);
  if (!step.mode) take_option_of_job(environment);
  step.watch = step.watch || environment.contains(watch_of_job);
  const Mode mode = step.mode.value_or(step.arguments->default_mode);
  step.mode = mode;
  // A job that is left alone does not have to know what was removed; one without GPUs needs
  // nothing.
  Resolution nothing_of_ours = take_back(environment);
  if (mode == Mode::off) nothing_of_ours.marker.reset();
  if (mode != Mode::off) decide_step(slurm, environment, {mode, step.watch});
  apply(slurm, nothing_of_ours);
  step.job = after(nothing_of_ours, environment);
  change(slurm, digest_name, std::nullopt);
  for (const auto& [name, value] : environment) {
    if (name.starts_with(users_prefix)) change(slurm, name, std::nullopt);
  }
}

bool task_init(const spank::Handle& slurm) {
  if (!step.decided) return true;
  const bool gpus = has_gpus([&](const char* name) { return slurm.variable(name); });
  const Resolution resolution = under_image(step.resolution, step.job, read_environment(slurm));
  if (slurm.global_task_id() == 0U) print(table_of(resolution, gpus));
  if (!gpus) return true;
  for (Finding& each : image_findings(resolution)) step.findings.push_back(std::move(each));
  if (step.mode != Mode::warn) {
    apply(slurm, resolution);
    if (!step.arguments->environment_plugin.empty()) hand_on_users(slurm);
  }
  const bool starts = tell_findings(slurm);
  if (starts && step.mode != Mode::warn && slurm.local_task_id() == 0U) {
    if (step.container_below.empty()) {
      warn_of_hidden("");
    } else {
      tell_after_start();
    }
  }
  return starts;
}

}  // namespace slipway::nccl_env::remote
