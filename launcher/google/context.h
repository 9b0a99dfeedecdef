// The state that all functions that write definitions share.
#pragma once

#include "launcher/google/definitions.h"
#include "launcher/google/links.h"

namespace slipway::google {

struct Context {
  const blueprint::Deployment& deployment;
  blueprint::Evaluation& evaluation;
  Links& links;
  source::Diagnostics& diagnostics;
  Definitions& definitions;  // the result so far

  void add(std::string path, std::string text) {
    definitions.files.push_back({std::move(path), std::move(text)});
  }
};

}  // namespace slipway::google
