// What SPANK says about a step, in slurmstepd.
#include "spank-plugins/container/job_items.h"

#include <slurm/slurm.h>

#include <fmt/core.h>

#include "common/error.h"
#include "spank-plugins/spank/job_script.h"

namespace slipway::container {
namespace {

void check_item(spank_err_t code, const char* what) {
  if (code == ESPANK_SUCCESS) return;
  throw Error(fmt::format("cannot get {} from Slurm: {}", what, spank_strerror(code)));
}

template <class T>
T item_of(spank_t spank, spank_item_t item, const char* what) {
  T value{};
  check_item(spank_get_item(spank, item, &value), what);
  return value;
}

}  // namespace

bool is_batch_script(const StepId& id) {
  return id.step == SLURM_BATCH_SCRIPT;
}

bool is_extern_step(const StepId& id) {
  return id.step == SLURM_EXTERN_CONT;
}

StepId step_of(spank_t spank) {
  return {item_of<uint32_t>(spank, S_JOB_ID, "the job's number"),
          item_of<uint32_t>(spank, S_JOB_STEPID, "the step's number")};
}

User user_of(spank_t spank) {
  User user;
  user.uid = item_of<uid_t>(spank, S_JOB_UID, "the job's user");
  user.gid = item_of<gid_t>(spank, S_JOB_GID, "the job's group");
  gid_t* groups = nullptr;
  int count = 0;
  check_item(spank_get_item(spank, S_JOB_SUPPLEMENTARY_GIDS, &groups, &count), "the user's groups");
  if (count > 0) user.groups.assign(groups, groups + count);
  return user;
}

std::filesystem::path batch_script_of(spank_t spank) {
  const std::vector<std::string> command = spank::command(spank);
  if (command.empty()) throw Error("cannot get the batch script from Slurm");
  return command[0];
}

uint32_t local_task_count(spank_t spank) {
  return item_of<uint32_t>(spank, S_JOB_LOCAL_TASK_COUNT, "the number of tasks");
}

}  // namespace slipway::container
