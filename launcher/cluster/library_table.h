// Tables of a library's catalogue that a library may lack.
#pragma once

#include <filesystem>
#include <functional>

#include "launcher/source/diagnostics.h"
#include "launcher/source/yaml.h"

namespace slipway::cluster {

// Gives the content of a YAML file to `read`. Does nothing without the file. Throws Error with all
// diagnostics if one of them is an error.
void read_library_table(
    const std::filesystem::path& file,
    const std::function<void(const source::Node& root, source::Diagnostics& diagnostics)>& read);

}  // namespace slipway::cluster
