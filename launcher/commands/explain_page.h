// Explanations on a page, and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "launcher/commands/explanation.h"
#include "launcher/commands/page.h"

namespace slipway::commands {

// The whole way of one setting or variable, as a tree. `library` is the folder of the module
// library: places in it are shown without it.
std::string explain_page(const Explanation& explanation, const source::Sources& sources,
                         const std::string& library, const Paint& paint);

// Several, a line each: name, value, and the first step of the way; places in the file `blueprint`
// are shown without it. What is at its default comes last.
std::string explain_table(const std::vector<Explanation>& explanations,
                          const source::Sources& sources, const std::string& library,
                          const std::string& blueprint, const Paint& paint);

// One of the "explanations" of docs/schemas/explain-1.schema.json.
nlohmann::ordered_json to_json(const Explanation& explanation, const source::Sources& sources);

}  // namespace slipway::commands
