// container: runs the tasks of a Slurm job in a container, with pyxis's options.
//
// The callbacks for Slurm, and the switch by context; the work is in submission.cc (sbatch, salloc,
// srun) and remote.cc (slurmstepd). User documentation: docs/guides/containers.md.
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "common/error.h"
#include "spank-plugins/container/options.h"
#include "spank-plugins/container/remote.h"
#include "spank-plugins/container/settings.h"
#include "spank-plugins/container/step_start.h"
#include "spank-plugins/container/submission.h"
#include "spank-plugins/spank/guard.h"
#include "spank-plugins/spank/job_script.h"
#include "spank-plugins/spank/release.h"

namespace slipway::container {
namespace {

constexpr auto time_to_forward = std::chrono::milliseconds(500);

// `number` is the option's place in option_rows().
int take_any_option(int number, const char* value, int remote) {
  return spank::guarded("option ignored", [&] {
    const OptionRow& option = option_rows()[static_cast<size_t>(number)];
    if (!remote) return submission::take_option(option, value);
    remote::take_option(option, value);
    return 0;
  });
}

void register_options(spank_t handle) {
  int number = 0;
  for (const OptionRow& row : option_rows()) {
    // Slurm's struct predates const; it copies the texts and changes none of them.
    spank_option raw = {const_cast<char*>(row.name),
                        const_cast<char*>(row.values),
                        const_cast<char*>(row.help),
                        row.flag == nullptr ? 1 : 0,
                        number++,
                        take_any_option};
    const spank::Status status(spank_option_register(handle, &raw));
    if (!status) throw Error(std::string("cannot register --") + row.name + ": " + status.text());
  }
}

int begin_in_context(spank_t handle, int count, char** words) {
  std::optional<Settings> settings;
  std::string wrong;
  try {
    settings = parse_settings(std::vector<std::string>(words, words + count));
  } catch (const Error& error) {
    wrong = error.what();
    spank::log_error(wrong + "; jobs in containers fail");
  }
  const spank_context_t context = spank_context();
  const bool allocates = context == S_CTX_ALLOCATOR;
  if (allocates && settings && !settings->sbatch_support) return ESPANK_SUCCESS;
  if (allocates || context == S_CTX_LOCAL) submission::begin(settings);
  if (context == S_CTX_REMOTE) remote::begin(settings, wrong);
  register_options(handle);
  return ESPANK_SUCCESS;
}

int after_options(spank_t handle) {
  const spank_context_t context = spank_context();
  if (context == S_CTX_ALLOCATOR || context == S_CTX_LOCAL) return submission::check();
  if (context == S_CTX_REMOTE) remote::prepare(handle);
  return ESPANK_SUCCESS;
}

void end_job(spank_t handle, int count, char** words) {
  const Settings settings = parse_settings(std::vector<std::string>(words, words + count));
  const auto job = spank::job_id(handle);
  const auto uid = spank::job_user(handle);
  if (job && uid) remove_containers(settings, *uid, *job);
}

}  // namespace
}  // namespace slipway::container

extern "C" {

SLIPWAY_SPANK_PLUGIN(container)

int slurm_spank_init(spank_t handle, int count, char* words[]) {
  using namespace slipway;
  return spank::guarded("init", [&] { return container::begin_in_context(handle, count, words); });
}

int slurm_spank_init_post_opt(spank_t handle, int, char*[]) {
  using namespace slipway;
  return spank::guarded("init_post_opt", [&] { return container::after_options(handle); });
}

int slurm_spank_user_init(spank_t handle, int, char*[]) {
  using namespace slipway;
  return spank::guarded("user_init", [&] {
    container::remote::user_init(handle);
    return 0;
  });
}

int slurm_spank_task_init(spank_t handle, int, char*[]) {
  using namespace slipway;
  return spank::guarded("task_init", [&] {
    if (container::remote::task_init(handle)) return 0;
    // As in nccl_env: Slurm ignores errors of optional plugins, and pending output is lost when
    // srun kills the step at the first exit.
    std::this_thread::sleep_for(container::time_to_forward);
    ::_exit(1);
  });
}

int slurm_spank_task_exit(spank_t handle, int, char*[]) {
  using namespace slipway;
  return spank::guarded("cannot save the container", [&] {
    container::remote::task_exit(handle);
    return 0;
  });
}

int slurm_spank_job_epilog(spank_t handle, int count, char* words[]) {
  using namespace slipway;
  return spank::guarded("cannot remove the job's containers", [&] {
    container::end_job(handle, count, words);
    return 0;
  });
}

int slurm_spank_exit(spank_t, int, char*[]) {
  using namespace slipway;
  return spank::guarded("cannot remove the container", [&] {
    if (spank_context() == S_CTX_REMOTE) container::remote::finish();
    return 0;
  });
}

}  // extern "C"
