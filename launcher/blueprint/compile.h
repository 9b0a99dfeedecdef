// From the text of a blueprint to a Deployment.
#pragma once

#include <optional>
#include <vector>

#include "launcher/blueprint/deployment.h"
#include "launcher/modules/library.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

// The texts of a blueprint, each the span that Sources::add returned.
struct Texts {
  source::Span blueprint;
  std::vector<source::Span> deployment_files;  // later ones win
  std::vector<source::Span> assignments;       // NAME=VALUE, later ones win; they win over files
};

// Reads, wires and checks. Everything that is wrong goes to `diagnostics`, all of it in one run.
// Nothing is returned when the blueprint is no YAML; what is returned after other errors is good
// for looking at, not for deploying. The result points into `library`.
std::optional<Deployment> compile(const Texts& texts, modules::Library& library,
                                  source::Sources& sources, source::Diagnostics& diagnostics);

}  // namespace slipway::blueprint
