// Reads what Slurm tells plugins about the job.
#include "spank-plugins/spank/job_script.h"

namespace slipway::spank {
namespace {

template <class Number>
std::optional<Number> number(spank_t spank, spank_item_t item) {
  Number number = 0;
  if (spank_get_item(spank, item, &number) != ESPANK_SUCCESS) return std::nullopt;
  return number;
}

}  // namespace

std::optional<std::string> option_of_job(spank_t spank, const Option& option) {
  spank_option raw = {const_cast<char*>(option.name),
                      const_cast<char*>(option.value_name),
                      const_cast<char*>(option.usage),
                      /*has_arg=*/1,
                      /*val=*/0,
                      option.take};
  char* value = nullptr;
  if (spank_option_getopt(spank, &raw, &value) != ESPANK_SUCCESS || value == nullptr) {
    return std::nullopt;
  }
  return value;
}

std::optional<uint32_t> job_id(spank_t spank) {
  return number<uint32_t>(spank, S_JOB_ID);
}

std::optional<uid_t> job_user(spank_t spank) {
  return number<uid_t>(spank, S_JOB_UID);
}

std::optional<uint32_t> step_id(spank_t spank) {
  return number<uint32_t>(spank, S_JOB_STEPID);
}

std::vector<std::string> command(spank_t spank) {
  int count = 0;
  char** words = nullptr;
  if (spank_get_item(spank, S_JOB_ARGV, &count, &words) != ESPANK_SUCCESS || words == nullptr) {
    return {};
  }
  return {words, words + count};
}

}  // namespace slipway::spank
