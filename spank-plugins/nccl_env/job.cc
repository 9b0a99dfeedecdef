// Determines what kind of job a step belongs to.
#include "spank-plugins/nccl_env/job.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>

namespace slipway::nccl_env {
namespace {

std::string_view value_of(const Environment& environment, const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string_view() : found->second;
}

bool is_above(std::string_view text, int64_t limit) {
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number > limit;
}

}  // namespace

bool has_several_nodes(const Environment& environment, std::optional<uint32_t> nodes_of_step) {
  return nodes_of_step.value_or(1) > 1 ||
         is_above(value_of(environment, "SLURM_JOB_NUM_NODES"), 1) ||
         is_above(value_of(environment, "SLURM_HET_SIZE"), 1);
}

bool has_gpus(const std::function<std::optional<std::string>(const char* name)>& variable) {
  if (is_above(variable("SLURM_GPUS_ON_NODE").value_or(""), 0)) return true;
  constexpr std::array lists = {"SLURM_STEP_GPUS", "SLURM_JOB_GPUS", "CUDA_VISIBLE_DEVICES"};
  return std::ranges::any_of(lists, [&](const char* name) {
    const std::string list = variable(name).value_or("");
    return !list.empty() && list != "NoDevFiles";  // Slurm's value for steps without GPUs
  });
}

}  // namespace slipway::nccl_env
