// From the text of a blueprint to a Deployment.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "launcher/blueprint/deployment.h"
#include "launcher/blueprint/evaluation.h"
#include "launcher/modules/library.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

// The texts of a blueprint, each the span that Sources::add returned.
struct Texts {
  source::Span blueprint;
  std::vector<source::Span> deployment_files;     // later ones win
  std::vector<source::Span> assignments;          // NAME=VALUE, later ones win; they win over files
  std::vector<source::Span> backend_assignments;  // NAME=VALUE of the backend, over all others
};

struct Options {
  std::optional<Level> validation_level;        // the blueprint's own without it
  std::vector<std::string> skipped_validators;  // besides those that the blueprint skips
  bool need_files = true;  // whether files that ghpc_stage() names must be there
};

// A wired and checked Deployment, and its values, as far as the checks have asked for them.
struct Compiled {
  explicit Compiled(source::Diagnostics& diagnostics) : evaluation(deployment, diagnostics) {}
  Deployment deployment;
  Evaluation evaluation;
};

// Reads, wires and checks. Everything that is wrong goes to `diagnostics`, all of it in one run.
// Nothing is returned when the blueprint is no YAML; what is returned after other errors is good
// for looking at, not for deploying. The result points into `library` and `diagnostics`. Files of
// `include` are read from the folder of the file that names them; no other file, and nothing of the
// network.
std::unique_ptr<Compiled> compile(const Texts& texts, const Options& options,
                                  modules::Library& library, source::Sources& sources,
                                  source::Diagnostics& diagnostics);

}  // namespace slipway::blueprint
