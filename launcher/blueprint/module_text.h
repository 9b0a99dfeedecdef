// Reads files for module_file("install.sh") in module files.
#pragma once

#include <string>

#include "launcher/modules/interface.h"

namespace slipway::blueprint {

// The text of the file `path`, relative to the module's folder. The file must be in that folder or,
// for a library module, in the library, since modules share files. Throws ExpressionError at `span`
// if it is elsewhere, does not exist or is not text.
std::string module_text(const modules::Interface& interface, const std::string& path,
                        source::Span span);

}  // namespace slipway::blueprint
