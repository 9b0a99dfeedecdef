// Reads blueprints/catalogue/services.yaml: the services and permissions that a deployment needs.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "launcher/source/diagnostics.h"

namespace slipway::google {

struct ServiceRow {
  std::string service;                   // "compute.googleapis.com"
  std::vector<std::string> permissions;  // "compute.networks.create"
  std::string role;                      // the predefined role that has them
};

struct ServiceTable {
  using Rows = std::map<std::string, ServiceRow, std::less<>>;
  Rows always;     // by a word for them
  Rows machines;   // the same, if there are machines
  Rows resources;  // by Terraform's resource type
};

// Reads services.yaml in `folder` (<blueprints>/catalogue) into `sources`. Reports errors in
// `diagnostics`, which must use the same sources. Throws Error if the file cannot be read.
ServiceTable load_services(const std::filesystem::path& folder, source::Sources& sources,
                           source::Diagnostics& diagnostics);

}  // namespace slipway::google
