// The parts of `slipway health`.
#pragma once

#include <string>

#include "launcher/commands/commands.h"
#include "launcher/health/policy.h"

namespace slipway::commands {

// The exit status of `slipway health` for an unfit node. No other verb has it: a failure of ours is
// never taken for a node's.
inline constexpr int unfit = 3;

// The catalogue's policy, overridden by the file `own`, or by this machine's policy file if `own`
// is empty. Throws ReportedError after showing what is wrong.
health::Policy read_policy(const std::string& own);

int health_policy(Args args);
int health_report(Args args);
int health_clear(Args args);
int health_nhc(Args args);
int health_admit(Args args);
int health_examine(Args args);

}  // namespace slipway::commands
