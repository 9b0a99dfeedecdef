// Reads the text of a blueprint: shapes, keys and names. Meaning comes later.
#pragma once

#include "launcher/blueprint/deployment.h"
#include "launcher/source/yaml.h"

namespace slipway::blueprint {

// What the blueprint says, nothing added. Modules have no interface yet.
Deployment read_blueprint(const source::Node& root, const source::Sources& sources,
                          source::Diagnostics& diagnostics);

// A deployment file: its variables and its backend take the place of the blueprint's.
void read_deployment_file(const source::Node& root, const source::Sources& sources,
                          source::Diagnostics& diagnostics, Deployment& deployment);

// One NAME=VALUE of the command line. `assignment` is the span of its text in the sources; the
// value is YAML.
void read_assignment(Span assignment, source::Sources& sources, source::Diagnostics& diagnostics,
                     Deployment& deployment);

}  // namespace slipway::blueprint
