// The folders that the tasks of a job see.
#pragma once

#include "launcher/conversion/plan.h"

namespace slipway::conversion {

// Takes them from --container-mounts of the steps. Reports those that have no equivalent (E0602).
void plan_folders(Plan& plan, source::Diagnostics& diagnostics);

}  // namespace slipway::conversion
