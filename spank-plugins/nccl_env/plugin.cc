// nccl_env: sets the NCCL variables for a node's transport in every task of a Slurm job.
//
// The callbacks for Slurm, and the switch by context; the work is in submission.cc (sbatch, salloc,
// srun) and remote.cc (slurmstepd). User documentation: docs/guides/nccl.md.
#include <unistd.h>

#include <fmt/core.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "common/error.h"
#include "spank-plugins/nccl_env/inspector.h"
#include "spank-plugins/nccl_env/remote.h"
#include "spank-plugins/nccl_env/settings.h"
#include "spank-plugins/nccl_env/submission.h"
#include "spank-plugins/spank/guard.h"
#include "spank-plugins/spank/handle.h"
#include "spank-plugins/spank/release.h"

namespace slipway::nccl_env {
namespace {

int take_option(int, const char* value, int remote) {
  return spank::guarded("option ignored", [&] {
    if (!remote) return submission::take_option(value);
    remote::take_option(value);
    return 0;
  });
}

int take_watch(int, const char*, int remote) {
  return spank::guarded("option ignored", [&] {
    remote ? remote::take_watch() : submission::take_watch();
    return 0;
  });
}

constexpr auto time_to_forward_output = std::chrono::milliseconds(500);

constexpr spank::Option all_options[] = {
    {option_name, option_values, option_help, take_option},
    {watch_option_name, nullptr, watch_option_help, take_watch}};

// Empty if plugstack.conf is invalid. The plugin then does nothing at all: half of a misread
// setting may be the opposite of what the administrator wants.
std::optional<Arguments> read_arguments(int count, char** words) {
  try {
    return parse_arguments(std::vector<std::string>(words, words + count));
  } catch (const Error& error) {
    spank::log_error(std::string(error.what()) + "; leaving jobs alone");
    return std::nullopt;
  }
}

int init(const spank::Handle& slurm, int count, char** words) {
  std::optional<Arguments> arguments = read_arguments(count, words);
  switch (spank_context()) {
    case S_CTX_ALLOCATOR:
    case S_CTX_LOCAL:
      if (arguments) submission::begin(arguments->default_mode);
      break;
    case S_CTX_REMOTE:
      remote::begin(std::move(arguments));
      spank::guarded("an image may replace NCCL variables", [&] {
        remote::init(slurm);
        return 0;
      });
      break;
    default:  // slurmd: only checks the arguments, as there is no job
      break;
  }
  for (const spank::Option& option : all_options) {
    const spank::Status status = slurm.register_option(option);
    if (!status) throw Error(fmt::format("cannot register --{}: {}", option.name, status.text()));
  }
  return ESPANK_SUCCESS;
}

}  // namespace
}  // namespace slipway::nccl_env

extern "C" {

SLIPWAY_SPANK_PLUGIN(nccl_env)

int slurm_spank_init(spank_t handle, int count, char* words[]) {
  using namespace slipway;
  return spank::guarded("init",
                        [&] { return nccl_env::init(spank::Handle(handle), count, words); });
}

int slurm_spank_init_post_opt(spank_t, int, char*[]) {
  using namespace slipway;
  return spank::guarded("init_post_opt", [] {
    const spank_context_t context = spank_context();
    if (context == S_CTX_LOCAL || context == S_CTX_ALLOCATOR) nccl_env::submission::after_options();
    return 0;
  });
}

int slurm_spank_user_init(spank_t handle, int, char*[]) {
  using namespace slipway;
  return spank::guarded("NCCL variables are not set", [&] {
    nccl_env::remote::user_init(spank::Handle(handle));
    return 0;
  });
}

int slurm_spank_task_init(spank_t handle, int, char*[]) {
  using namespace slipway;
  return spank::guarded("task_init", [&] {
    if (nccl_env::remote::task_init(spank::Handle(handle))) return 0;
    // Slurm ignores errors of optional plugins, so the task ends itself; the node stays in service.
    // Wait until slurmstepd has forwarded the task's output: srun --kill-on-bad-exit kills the step
    // as soon as it learns of the first exit, and pending output is lost.
    std::this_thread::sleep_for(nccl_env::time_to_forward_output);
    ::_exit(1);
  });
}

}  // extern "C"
