// Says what a module becomes on each target.
#include "launcher/modules/becomes.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/text.h"

namespace slipway::modules {
namespace {

// "Google's resources", and which of Cluster Toolkit's modules makes the rest.
std::string text_of_resources(const std::vector<Resource>& resources) {
  std::vector<std::string> calls;
  for (const Resource& resource : resources) {
    if (resource.type != toolkit_call_type) continue;
    calls.push_back(resource.name);
    std::replace(calls.back().begin(), calls.back().end(), '_', '-');
  }
  if (calls.empty()) return "Google's resources";
  return fmt::format("Google's resources, and Cluster Toolkit's `{}` for what is on Kubernetes",
                     join(calls, "`, `"));
}

}  // namespace

const Resource* toolkit_module(const Interface& interface) {
  if (!interface.resources || interface.resources->size() != 1) return nullptr;
  const Resource& resource = interface.resources->front();
  return resource.type == toolkit_type ? &resource : nullptr;
}

bool is_called(const Interface& interface) {
  return interface.foreign || toolkit_module(interface) != nullptr;
}

Becomes on_google(const Interface& interface) {
  const bool packer = interface.kind == "packer";
  if (interface.foreign) {
    return {"own", packer ? "your Packer template" : "your Terraform module"};
  }
  if (toolkit_module(interface) != nullptr)
    return {"toolkit", "Cluster Toolkit's Terraform module of the same path"};
  if (packer && interface.packer_template) return {"image", "an image that Packer builds"};
  if (!interface.resources) return {"none", "nothing (`create` refuses it)"};
  if (!interface.resources->empty()) return {"resources", text_of_resources(*interface.resources)};
  if (interface.model) return {"slurm", "part of Slurm's configuration"};
  return {"values", "values for other modules, without any resource"};
}

Becomes on_this_machine(const Interface& interface) {
  if (interface.model) return {"cluster", "part of the cluster"};
  const std::string& reason = interface.local;
  return {"nothing", fmt::format("nothing ({})",
                                 reason.empty() ? "it has no meaning on this machine" : reason)};
}

}  // namespace slipway::modules
