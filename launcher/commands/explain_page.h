// Renders explanations as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "launcher/commands/explanation.h"
#include "launcher/commands/page.h"

namespace slipway::commands {

// How one setting or variable got its value, as a tree. `library` is the folder of the module
// library; places in it are shown relative to it. Scripts and other long texts of the value are
// cut, unless `whole` is set.
std::string explain_page(const Explanation& explanation, const source::Sources& sources,
                         const std::string& library, const Paint& paint, bool whole = false);

// A table: name, value, and the first step back. Places in the file `blueprint` are shown as lines.
// Settings at their defaults come last.
std::string explain_table(const std::vector<Explanation>& explanations,
                          const source::Sources& sources, const std::string& library,
                          const std::string& blueprint, const Paint& paint);

// One of the "explanations" of docs/schemas/explain-1.schema.json.
nlohmann::ordered_json to_json(const Explanation& explanation, const source::Sources& sources);

}  // namespace slipway::commands
