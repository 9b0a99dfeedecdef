// nccl_env on a node of the job, in slurmstepd.
#include "spank-plugins/nccl_env/remote.h"

#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "common/error.h"
#include "spank-plugins/nccl_env/resolve.h"
#include "spank-plugins/nccl_env/table.h"
#include "spank-plugins/spank/guard.h"

namespace slipway::nccl_env::remote {
namespace {

// Of this one slurmstepd; its tasks are forked from it and inherit a copy.
struct Step {
  std::optional<Arguments> arguments;
  std::optional<Mode> mode;  // of --nccl-env, when it was given
  std::string table;         // to be printed by the first task
};

Step step;

void check(spank::Status status, const std::string& what) {
  if (!status) throw Error(fmt::format("{}: {}", what, status.text()));
}

void apply(const spank::Handle& slurm, const Resolution& resolution) {
  for (const Decision& decision : resolution.decisions) {
    if (decision.action == Action::set) {
      check(slurm.setenv(decision.name, *decision.value), "cannot set " + decision.name);
    } else if (decision.action == Action::unset) {
      check(slurm.unsetenv(decision.name), "cannot unset " + decision.name);
    }
  }
  if (resolution.marker) {
    check(slurm.setenv(marker_name, *resolution.marker), "cannot set the marker");
  } else {
    check(slurm.unsetenv(marker_name), "cannot unset the marker");
  }
}

// To the task's stderr, which is a file, a pipe or a terminal of the user's: without it, no table.
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

// What sbatch and salloc say of --nccl-env to the whole job. Slurm hands an option over by a
// variable of its own, which it takes for the callback and removes; but `--export=NONE` keeps
// nothing except SLURM_*, so that there this one alone arrives, and no callback is called (seen in
// 22.05).
constexpr const char* option_of_job = "SLURM_SPANK__SLURM_SPANK_OPTION_nccl_env_nccl_env";

void take_option_of_job(const Environment& environment) {
  const auto option = environment.find(option_of_job);
  if (option == environment.end()) return;
  spank::guarded("option ignored", [&] {
    take_option(option->second.c_str());
    return 0;
  });
}

}  // namespace

void begin(std::optional<Arguments> arguments) {
  step = {};
  step.arguments = std::move(arguments);
}

void take_option(const char* value) {
  // sbatch and srun refused what is unknown, so this can only be another version's value: it must
  // not fail a job that is already here.
  step.mode = parse_mode(value, "--nccl-env");
}

void user_init(const spank::Handle& slurm) {
  if (!step.arguments) return;
  const auto environment = slurm.environment();
  if (!environment) throw Error("cannot read the job's environment");
  if (!step.mode) take_option_of_job(*environment);
  const Mode mode = step.mode.value_or(step.arguments->default_mode);
  if (mode == Mode::off) {
    Resolution nothing_of_ours = take_back(*environment);
    nothing_of_ours.marker.reset();  // a job that is left alone need not know what was removed
    apply(slurm, nothing_of_ours);
    return;
  }
  const NodeProfile profile = load_node_profile(step.arguments->profile_path);
  const Resolution resolution = resolve(profile, *environment);
  apply(slurm, resolution);
  if (mode == Mode::show) step.table = table(profile, resolution);
}

void task_init(const spank::Handle& slurm) {
  if (!step.table.empty() && slurm.global_task_id() == 0U) print(step.table);
}

}  // namespace slipway::nccl_env::remote
