// What every part of the room works with.
#pragma once

#include "launcher/google/definitions.h"
#include "launcher/google/links.h"

namespace slipway::google {

struct Context {
  const blueprint::Deployment& deployment;
  blueprint::Evaluation& evaluation;
  Links& links;
  source::Diagnostics& diagnostics;
  Definitions& definitions;  // what has been written

  void add(std::string path, std::string text) {
    definitions.files.push_back({std::move(path), std::move(text)});
  }
};

}  // namespace slipway::google
