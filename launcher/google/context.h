// The state that all functions that write definitions share.
#pragma once

#include "launcher/google/definitions.h"
#include "launcher/google/links.h"
#include "launcher/google/providers.h"
#include "launcher/google/resource_check.h"
#include "launcher/google/terraform_value.h"

namespace slipway::google {

struct Context {
  const blueprint::Deployment& deployment;
  blueprint::Evaluation& evaluation;
  Links& links;
  ResourceCheck& resources;
  const Providers& providers;
  source::Diagnostics& diagnostics;
  Definitions& definitions;  // the result so far
  bool writes_files = true;  // false: only the diagnostics are wanted

  void add(std::string path, std::string text) {
    if (writes_files) definitions.files.push_back({std::move(path), std::move(text)});
  }
  void add(std::string path, const Json& file) {
    if (writes_files) add(std::move(path), to_text(file));
  }
};

}  // namespace slipway::google
