// What a change of a deployed cluster does to the jobs that run on it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace slipway::apply {

// One line for each effect, from Terraform's plan as JSON. Empty if the plan concerns no cluster
// that exists already.
std::vector<std::string> effects_on_jobs(const nlohmann::ordered_json& plan);

}  // namespace slipway::apply
