// Compiles the text of a blueprint to a Deployment.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "launcher/blueprint/deployment.h"
#include "launcher/blueprint/evaluation.h"
#include "launcher/modules/library.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

class KnownModules;

// The input texts, each as the span that Sources::add returned.
struct Texts {
  source::Span blueprint;
  std::vector<source::Span> deployment_files;     // later ones win
  std::vector<source::Span> assignments;          // NAME=VALUE, later ones win; override files
  std::vector<source::Span> backend_assignments;  // NAME=VALUE of the backend; override the rest
};

struct Options {
  std::optional<Level> validation_level;        // overrides the blueprint's
  std::vector<std::string> skipped_validators;  // in addition to those that the blueprint skips
  bool need_files = true;                       // whether files named in ghpc_stage() must exist
  KnownModules* known = nullptr;                // of a language server
};

// A wired and checked Deployment, and its values.
struct Compiled {
  explicit Compiled(source::Diagnostics& diagnostics) : evaluation(deployment, diagnostics) {}
  Deployment deployment;
  Evaluation evaluation;
};

// Reads, wires and checks a blueprint, and reports all errors in one run. Returns nullptr if the
// blueprint is not YAML; the result after other errors can be shown, but not deployed. The result
// points into `library` and `diagnostics`. Reads files of `include`, relative to the file that
// includes them, but no other files, and does not use the network.
std::unique_ptr<Compiled> compile(const Texts& texts, const Options& options,
                                  modules::Library& library, source::Sources& sources,
                                  source::Diagnostics& diagnostics);

}  // namespace slipway::blueprint
