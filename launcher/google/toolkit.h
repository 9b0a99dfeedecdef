// Cluster Toolkit's own Terraform modules, which stand for library modules without resources:
// blueprints/catalogue/toolkit.yaml has the version that the library's interfaces are of.
#pragma once

#include <filesystem>
#include <string>

#include "launcher/blueprint/deployment.h"

namespace slipway::google {

struct Toolkit {
  std::string repository;  // "github.com/GoogleCloudPlatform/cluster-toolkit"
  std::string version;     // a tag, "v1.95.0"
};

// From the folder `catalogue` of `library`; empty without the file. Throws Error if the file is
// invalid.
Toolkit load_toolkit(const std::filesystem::path& library);

// The source that Terraform gets for a module that becomes Cluster Toolkit's: the blueprint's own
// if it names a repository or `toolkit_modules_url`, otherwise that of the catalogue.
std::string toolkit_source(const blueprint::Deployment& deployment,
                           const blueprint::Module& module);

// The source of another of Cluster Toolkit's modules that a library module calls.
std::string toolkit_source(const blueprint::Deployment& deployment, const blueprint::Module& module,
                           const std::string& path);

// "2 modules are Cluster Toolkit's own, which `terraform init` downloads: a, b from v1.95.0", and
// on a second line those that call one of its modules; empty without any.
std::string describe_downloads(const blueprint::Deployment& deployment);

}  // namespace slipway::google
