// Finds a job's GPUs by what Slurm says.
#include "launcher/job/own_gpus.h"

#include <numeric>
#include <set>

#include "common/environment.h"
#include "launcher/health/check_node.h"

namespace slipway::job {

std::string gpu_list_of_step() {
  // Steps inherit the variable of the batch script, whose node may have given others.
  for (const char* name : {"SLURM_STEP_GPUS", "SLURM_JOB_GPUS"})
    if (std::string list = environment_variable(name); !list.empty()) return list;
  return "";
}

std::vector<size_t> own_gpus(size_t visible, std::string_view list) {
  std::vector<size_t> all(visible);
  std::iota(all.begin(), all.end(), size_t{0});
  if (list.empty() || list.find_first_not_of("0123456789,-") != list.npos) return all;
  const std::set<unsigned> numbers = health::parse_gpu_list(list);
  if (numbers.empty() || numbers.size() == visible || *numbers.rbegin() >= visible) return all;
  return {numbers.begin(), numbers.end()};
}

}  // namespace slipway::job
