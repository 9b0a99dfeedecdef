// Writes to Slurm's log.
#include "spank-plugins/spank/guard.h"

namespace slipway::spank {

void log_error(const std::string& text) {
  slurm_error("%s: %s", plugin_name, text.c_str());
}

}  // namespace slipway::spank
