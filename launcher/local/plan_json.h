// A plan as JSON. A deployment's folder keeps its plan so that a later deploy can compare the two.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "launcher/local/plan.h"

namespace slipway::local {

nlohmann::json to_json(const Plan& plan);

// Throws Error if it is not a plan.
Plan plan_from_json(const nlohmann::json& json);

}  // namespace slipway::local
