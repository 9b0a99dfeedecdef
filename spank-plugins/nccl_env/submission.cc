// nccl_env in the command that the user types.
#include "spank-plugins/nccl_env/submission.h"

#include "common/error.h"
#include "spank-plugins/nccl_env/settings.h"
#include "spank-plugins/spank/guard.h"

namespace slipway::nccl_env::submission {

int take_option(const char* value) {
  try {
    parse_mode(value, "--nccl-env");
    return 0;
  } catch (const Error& error) {
    spank::log_error(error.what());
    return -1;
  }
}

}  // namespace slipway::nccl_env::submission
