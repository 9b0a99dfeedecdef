// A plan as JSON: what a deployment was made by stays in its folder, so that it can be compared
// with what is wanted later.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "launcher/local/plan.h"

namespace slipway::local {

nlohmann::json to_json(const Plan& plan);

// Throws Error when it is none.
Plan plan_from_json(const nlohmann::json& json);

}  // namespace slipway::local
