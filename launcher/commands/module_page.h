// Describes one module, as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "launcher/commands/page.h"
#include "launcher/modules/interface.h"

namespace slipway::commands {

std::string module_page(const modules::Interface& interface, const Paint& paint);

// By docs/schemas/module-1.schema.json.
nlohmann::ordered_json module_json(const modules::Interface& interface);

}  // namespace slipway::commands
