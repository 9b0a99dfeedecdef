// node_health: checks a node before each job starts on it, and after the job has ended, and keeps
// the job from filling slurmd's spool.
//
// The callbacks for Slurm. `slipway health` runs the checks in a separate process, which is killed
// if it hangs, for example in a driver. User documentation: docs/guides/health.md.
#include <sys/wait.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
#include <slurm/slurm.h>
#pragma GCC visibility pop

#include "common/error.h"
#include "common/process.h"
#include "spank-plugins/node_health/batch_script.h"
#include "spank-plugins/node_health/left_out.h"
#include "spank-plugins/node_health/settings.h"
#include "spank-plugins/node_health/stage.h"
#include "spank-plugins/node_health/step_start.h"
#include "spank-plugins/spank/guard.h"
#include "spank-plugins/spank/handle.h"
#include "spank-plugins/spank/job_script.h"
#include "spank-plugins/spank/release.h"

namespace slipway::node_health {
namespace {

constexpr int failed = -1;  // Slurm before 25.05 takes only negative numbers for errors
constexpr const char* job_container_conf = "/etc/slurm/job_container.conf";
constexpr std::chrono::seconds patience_with_slurm{10};

// Empty if plugstack.conf is invalid: then nothing is checked, and no node is drained.
std::optional<Arguments> read_arguments(int count, char** words) {
  try {
    return parse_arguments(std::vector<std::string>(words, words + count));
  } catch (const Error& error) {
    spank::log_error(std::string(error.what()) + "; nodes are not checked");
    return std::nullopt;
  }
}

int check(spank_t spank, const char* stage, int count, char** words) {
  const auto arguments = read_arguments(count, words);
  return !arguments || node_is_fit(spank, stage, *arguments) ? ESPANK_SUCCESS : failed;
}

int init(const spank::Handle& slurm, int count, char** words) {
  read_arguments(count, words);
  const spank::Status status = slurm.register_option(health_option);
  if (!status) throw Error(std::string("cannot register --health: ") + status.text());
  return ESPANK_SUCCESS;
}

// Runs before the batch script starts.
void take_batch_script(spank_t spank) {
  if (spank_context() != S_CTX_REMOTE || spank::step_id(spank) != SLURM_BATCH_SCRIPT) return;
  const auto user = spank::job_user(spank);
  const std::vector<std::string> command = spank::command(spank);
  if (!user || *user == 0 || command.empty()) return;
  try {
    keep_batch_script(command[0], *user);
  } catch (const Error& error) {
    spank::log_error(std::string(error.what()) + "; its user can fill slurmd's spool with it");
  }
}

// Requeues a job that this node was not prepared for; its step cannot start anyway, and Slurm
// reports that itself. Once for each step.
void find_left_out_job(spank_t spank) {
  static bool is_found = false;
  if (is_found || spank_context() != S_CTX_REMOTE) return;
  if (spank::step_id(spank) == SLURM_EXTERN_CONT) return;  // the step that creates the /tmp
  const auto job = spank::job_id(spank);
  if (!job || !lacks_own_tmp(job_container_conf, *job)) return;
  is_found = true;
  const std::string message = queue_again(*job, [](const std::vector<std::string>& argv) {
    return run_process(argv, {.input = "", .deadline = patience_with_slurm});
  });
  if (!message.empty()) spank::log_error(message);
}

// How slurmstepd ends a task that cannot enter the job's own /tmp.
bool ended_with_1(spank_t spank) {
  int status = 0;
  return spank_get_item(spank, S_TASK_EXIT_STATUS, &status) == ESPANK_SUCCESS &&
         WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

}  // namespace
}  // namespace slipway::node_health

extern "C" {

SLIPWAY_SPANK_PLUGIN(node_health)

int slurm_spank_init(spank_t handle, int count, char* words[]) {
  using namespace slipway;
  return spank::guarded("init", [&] {
    const int result = node_health::init(spank::Handle(handle), count, words);
    node_health::take_batch_script(handle);
    node_health::find_left_out_job(handle);
    return result;
  });
}

int slurm_spank_task_exit(spank_t handle, int, char*[]) {
  using namespace slipway;
  return spank::guarded("task_exit", [&] {
    if (node_health::ended_with_1(handle)) node_health::find_left_out_job(handle);
    return ESPANK_SUCCESS;
  });
}

// In srun, after the step is created and before it is launched.
int slurm_spank_local_user_init(spank_t handle, int, char*[]) {
  using namespace slipway;
  return spank::guarded("not waiting for the prolog", [&] {
    node_health::wait_for_prolog(handle);
    return ESPANK_SUCCESS;
  });
}

int slurm_spank_job_prolog(spank_t handle, int count, char* words[]) {
  using namespace slipway;
  return spank::guarded("the node is not checked",
                        [&] { return node_health::check(handle, "prolog", count, words); });
}

int slurm_spank_job_epilog(spank_t handle, int count, char* words[]) {
  using namespace slipway;
  return spank::guarded("the node is not checked",
                        [&] { return node_health::check(handle, "epilog", count, words); });
}

}  // extern "C"
