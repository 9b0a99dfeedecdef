// Files that module files take their texts from: module_file("install.sh").
#pragma once

#include <string>

#include "launcher/modules/interface.h"

namespace slipway::blueprint {

// The text of the file `path`, which starts from the module's folder. It lies there, or, for a
// module of the library, anywhere in the library: modules share files. Throws ExpressionError at
// `span` when it is elsewhere, not there or no text.
std::string module_text(const modules::Interface& interface, const std::string& path,
                        source::Span span);

}  // namespace slipway::blueprint
