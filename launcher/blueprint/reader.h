// Reads the text of a blueprint: shapes, keys and names. Meaning comes later.
#pragma once

#include "launcher/blueprint/deployment.h"
#include "launcher/source/yaml.h"

namespace slipway::blueprint {

// A file of `include`, as the blueprint writes it.
struct Include {
  std::string path;
  Span span;
};
std::vector<Include> read_includes(const source::Node& root, const source::Sources& sources,
                                   source::Diagnostics& diagnostics);

// Adds what the blueprint says to a Deployment. Modules have no interface yet. An included
// blueprint comes before the one that includes it: what comes later wins, groups of one name are
// joined. `included`: the names of the blueprint itself do not count.
void read_blueprint(const source::Node& root, bool included, const source::Sources& sources,
                    source::Diagnostics& diagnostics, Deployment& deployment);

// A deployment file: its variables, its settings and its backend take the place of the blueprint's.
void read_deployment_file(const source::Node& root, const source::Sources& sources,
                          source::Diagnostics& diagnostics, Deployment& deployment);

// One NAME=VALUE of the command line. `assignment` is the span of its text in the sources; the
// value is YAML.
void read_assignment(Span assignment, source::Sources& sources, source::Diagnostics& diagnostics,
                     Deployment& deployment);

// NAME=VALUE pairs of --backend-config: the backend of groups that have none of their own. The
// name `type` is the backend's type, gcs without it.
void read_backend_assignments(const std::vector<Span>& assignments, source::Sources& sources,
                              source::Diagnostics& diagnostics, Deployment& deployment);

}  // namespace slipway::blueprint
