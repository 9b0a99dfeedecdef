// Makes the JSON Schema (draft 7) of blueprints, with which editors complete and check them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "launcher/modules/interface.h"

namespace slipway::commands {

// It accepts every blueprint that `slipway check` accepts and knows the settings of these modules,
// but not the names of the blueprint's own modules and variables.
nlohmann::ordered_json blueprint_schema(const std::vector<const modules::Interface*>& library);

}  // namespace slipway::commands
