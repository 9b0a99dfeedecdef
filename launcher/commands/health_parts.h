// The parts of `slipway health`, and what they share.
#pragma once

#include <string>

#include "launcher/commands/commands.h"
#include "launcher/health/policy.h"

namespace slipway::commands {

// The catalogue's policy with the file `own` over it; without one, that of this machine, if it has
// one. Says what is wrong with them, and throws ReportedError.
health::Policy read_policy(const std::string& own);

int health_policy(Args args);
int health_report(Args args);
int health_clear(Args args);

}  // namespace slipway::commands
