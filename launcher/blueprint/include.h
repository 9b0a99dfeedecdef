// A blueprint together with those that it includes.
#pragma once

#include "launcher/blueprint/deployment.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

// Reads the blueprint of `text`, the span that Sources::add returned, after the files of its
// `include`: their paths are relative to the folder of the file that names them. A file that is
// included twice is read once. False when the blueprint is no YAML.
bool read_with_includes(Span text, source::Sources& sources, source::Diagnostics& diagnostics,
                        Deployment& deployment);

}  // namespace slipway::blueprint
