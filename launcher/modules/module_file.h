// Reads a module.yaml.
#pragma once

#include <string>

#include "launcher/modules/interface.h"
#include "launcher/source/yaml.h"

namespace slipway::modules {

// Whether to read the bodies of resources. They are a large part of a file, and only `create` and
// the commands that use its definitions need them.
enum class Bodies { read, skipped };

// Reads the tree of a module file. Reports errors with the code bad_module_file or those of
// expressions; the result is usable even then.
Interface read_module_file(std::string path, const source::Node& root, Bodies bodies,
                           const source::Sources& sources, source::Diagnostics& diagnostics);

}  // namespace slipway::modules
