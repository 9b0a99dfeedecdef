// What the tests of health checks share.
#pragma once

#include <string>
#include <vector>

#include "launcher/health/context.h"
#include "launcher/health/judge.h"

namespace slipway::health {

// The shipped policy, with the text of a site's own file over it.
Policy policy_with(const std::string& own = "");

// A node with two H100s and two interfaces, in stage `manual`.
Context context_with(const std::string& own_policy = "");

// "gpu-missing GPU 1 0000:05:00.0: GPU is lost", a line each.
std::vector<std::string> lines_of(const Look& look);

}  // namespace slipway::health
