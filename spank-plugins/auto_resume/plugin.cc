// auto_resume: accepts `srun --auto-resume=1` of scripts that were written for SageMaker HyperPod,
// and says what to write here. User documentation: docs/guides/training.md.
#include <string>
#include <vector>

#include "common/error.h"
#include "spank-plugins/auto_resume/advice.h"
#include "spank-plugins/spank/guard.h"
#include "spank-plugins/spank/handle.h"
#include "spank-plugins/spank/job_script.h"
#include "spank-plugins/spank/release.h"

namespace slipway::auto_resume {
namespace {

bool is_wanted = false;  // by the last value

int take_option(int, const char* value, int remote) {
  return spank::guarded("option ignored", [&] {
    try {
      is_wanted = parse_choice(value);
    } catch (const Error& error) {
      if (!remote) spank::log_error(error.what());
      return remote ? 0 : -1;  // a value that sbatch accepted must not fail the job
    }
    return 0;
  });
}

constexpr spank::Option option = {option_name, option_values, option_help, take_option};

int init(spank_t spank) {
  const spank::Status status = spank::Handle(spank).register_option(option);
  if (!status) throw Error(std::string("cannot register --auto-resume: ") + status.text());
  return ESPANK_SUCCESS;
}

int advise(spank_t spank) {
  if (!is_wanted) return ESPANK_SUCCESS;
  for (const std::string& line : advice(spank::command(spank))) slurm_info("%s", line.c_str());
  return ESPANK_SUCCESS;
}

}  // namespace
}  // namespace slipway::auto_resume

extern "C" {

SLIPWAY_SPANK_PLUGIN(auto_resume)

int slurm_spank_init(spank_t handle, int, char*[]) {
  using namespace slipway;
  return spank::guarded("init", [&] { return auto_resume::init(handle); });
}

// In srun, after the step is created: its command is known.
int slurm_spank_local_user_init(spank_t handle, int, char*[]) {
  using namespace slipway;
  return spank::guarded("no advice", [&] { return auto_resume::advise(handle); });
}

}  // extern "C"
