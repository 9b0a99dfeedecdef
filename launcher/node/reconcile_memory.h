// What one run of the reconciler leaves for the next, as a file.
#pragma once

#include <filesystem>
#include <string>

#include "launcher/node/reconcile.h"

namespace slipway::node {

std::string to_json(const Memory& memory);

// Throws Error if the text is not what to_json() writes.
Memory parse_memory(const std::string& text);

// Empty if there is no file, or if it cannot be read: then every grace begins again.
Memory load_memory(const std::filesystem::path& path);

}  // namespace slipway::node
