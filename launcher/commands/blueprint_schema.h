// The JSON Schema (draft 7) of blueprints: what editors complete, explain and check by.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "launcher/modules/interface.h"

namespace slipway::commands {

// It accepts every blueprint that `slipway check` accepts, and knows the settings of these modules.
// Names that only the blueprint knows, those of modules and variables, are not checked by it.
nlohmann::ordered_json blueprint_schema(const std::vector<const modules::Interface*>& library);

}  // namespace slipway::commands
