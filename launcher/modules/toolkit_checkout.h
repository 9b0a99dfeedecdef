// Reads the modules of a checkout of Cluster Toolkit: variables, outputs, versions.tf and
// metadata.yaml of each.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "launcher/modules/interface.h"
#include "launcher/source/diagnostics.h"

namespace slipway::modules {

struct ToolkitModule {
  Interface interface;  // path: "modules/network/vpc"
  // Inputs that it only declares to refuse them, and what it says then; may be empty.
  std::map<std::string, std::string> deprecated;
  // The allowed values of inputs, where `validators` of metadata.yaml or a validation of the form
  // contains(["a", "b"], var.x) list them.
  std::map<std::string, std::vector<std::string>> allowed;
  std::vector<std::string> providers;  // that it requires, sorted: "google"
  bool configures_providers = false;   // it has `provider` blocks
};

struct Checkout {
  std::string version;                 // "v1.95.0"; empty if no file names it
  std::vector<ToolkitModule> modules;  // sorted by path
};

// Reads modules/CATEGORY/NAME and community/modules/CATEGORY/NAME, without Cluster Toolkit's
// internal ones, and those modules within them that the library has, by their paths. Reports
// mistakes in their files. Throws Error if the folder has no modules.
Checkout read_checkout(const std::filesystem::path& folder, source::Sources& sources,
                       source::Diagnostics& diagnostics,
                       const std::vector<std::string>& library = {});

// "v1.95.0" as numbers, for comparisons; empty if it is not a version.
std::vector<int> version_numbers(const std::string& version);

}  // namespace slipway::modules
