// What a word of the command line could be: files, deployments, nodes, modules, …
#pragma once

#include <string>
#include <vector>

#include "common/completion.h"

namespace slipway::commands {

// The candidates for a value or word of this name (command_description.h), whatever `current` is.
// Throws Error when what they come from cannot be read.
std::vector<Candidate> candidates(const std::string& value_name, const CompletionContext& context);

}  // namespace slipway::commands
