// Reads one module.yaml.
#pragma once

#include <string>

#include "launcher/modules/interface.h"
#include "launcher/source/yaml.h"

namespace slipway::modules {

// Whether what stands in the resources is read. Only who writes definitions needs it, and it is a
// good part of a file.
enum class Bodies { read, left_out };

// Reads the tree of a module file. Everything that is wrong with it is a diagnostic of the code
// bad_module_file, or one of expressions; what is left is usable.
Interface read_module_file(std::string path, const source::Node& root, Bodies bodies,
                           const source::Sources& sources, source::Diagnostics& diagnostics);

}  // namespace slipway::modules
