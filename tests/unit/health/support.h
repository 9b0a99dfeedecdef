// Shared by the tests of health checks.
#pragma once

#include <string>
#include <vector>

#include "launcher/health/context.h"
#include "launcher/health/judge.h"

namespace slipway::health {

// The shipped policy, overlaid with the text of a site's own file.
Policy policy_with(const std::string& own = "");

// A node with two H100s and two interfaces, in stage `manual`.
Context context_with(const std::string& own_policy = "");

// Findings as lines: "gpu-missing GPU 1 0000:05:00.0: GPU is lost".
std::vector<std::string> lines_of(const CheckResults& results);

}  // namespace slipway::health
