// Reads a blueprint's YAML and checks its structure, keys and names. Later stages interpret it.
#pragma once

#include "launcher/blueprint/deployment.h"
#include "launcher/source/yaml.h"

namespace slipway::blueprint {

// An entry of `include`, as written in the blueprint.
struct Include {
  std::string path;
  Span span;
};
std::vector<Include> read_includes(const source::Node& root, const source::Sources& sources,
                                   source::Diagnostics& diagnostics);

// Adds a blueprint to a Deployment. Modules have no interface yet. Included blueprints must be read
// before the one that includes them: later settings win, and groups with the same name are merged.
// If `included`, the blueprint's own name is ignored.
void read_blueprint(const source::Node& root, bool included, const source::Sources& sources,
                    source::Diagnostics& diagnostics, Deployment& deployment);

// Reads a deployment file, whose variables, settings and backend override the blueprint's.
void read_deployment_file(const source::Node& root, const source::Sources& sources,
                          source::Diagnostics& diagnostics, Deployment& deployment);

// Reads one NAME=VALUE of the command line; the value is YAML. `assignment` is the span of its text
// in the sources.
void read_assignment(Span assignment, source::Sources& sources, source::Diagnostics& diagnostics,
                     Deployment& deployment);

// Reads the NAME=VALUE pairs of --backend-config: the backend of groups without their own. The name
// `type` sets the backend's type, gcs by default.
void read_backend_assignments(const std::vector<Span>& assignments, source::Sources& sources,
                              source::Diagnostics& diagnostics, Deployment& deployment);

}  // namespace slipway::blueprint
