// Reads a blueprint with its includes.
#pragma once

#include "launcher/blueprint/deployment.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

// Reads the files in `include` of a blueprint, then the blueprint itself; `text` is the span that
// Sources::add returned. Paths are relative to the folder of the including file. A file that is
// included twice is read once. False if the blueprint is not YAML.
bool read_with_includes(Span text, source::Sources& sources, source::Diagnostics& diagnostics,
                        Deployment& deployment);

}  // namespace slipway::blueprint
