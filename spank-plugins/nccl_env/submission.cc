// nccl_env in the command that the user types.
#include "spank-plugins/nccl_env/submission.h"

#include <stdlib.h>
#include <unistd.h>

#include "common/error.h"
#include "spank-plugins/nccl_env/resolve.h"
#include "spank-plugins/nccl_env/settings.h"
#include "spank-plugins/spank/guard.h"
#include "spank-plugins/spank/handle.h"

namespace slipway::nccl_env::submission {

void begin() {
  // Slurm gives no environment here: it is the process's own.
  const Resolution resolution = take_back(spank::read_environment(::environ));
  for (const Decision& decision : resolution.decisions) ::unsetenv(decision.name.c_str());
  if (resolution.marker) {
    ::setenv(marker_name, resolution.marker->c_str(), /*overwrite=*/1);
  } else {
    ::unsetenv(marker_name);
  }
}

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
