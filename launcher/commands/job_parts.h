// The parts of `slipway job` that have files of their own.
#pragma once

#include "launcher/commands/commands.h"

namespace slipway::commands {

int job_show(Args args);
int job_convert(Args args);
int job_queues(Args args);
int job_run(Args args);

}  // namespace slipway::commands
