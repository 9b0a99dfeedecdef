// The definitions of one group: as they lie in the deployment folder, or as they were when the
// group was applied.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "launcher/apply/folder.h"

namespace slipway::apply {

using Json = nlohmann::ordered_json;

struct GroupDefinitions {
  std::string group, kind;
  std::map<std::string, Json> documents;  // those that `create` wrote itself, by path in the group
  std::map<std::string, std::string> digests;  // of every file, and of staged ones that it names

  // The module that an address such as `google_compute_network.net` or `module.net` belongs to;
  // empty when it is none of these definitions.
  std::string module_of(const std::string& address) const;

  // The same of a file that Terraform names: "net.tf.json", or "modules/x/main.tf" when one module
  // alone calls that folder.
  std::string module_of_file(const std::string& path) const;
};

// Throws Error.
GroupDefinitions read_definitions(const Folder& folder, const google::GroupSteps& group);

// What the group was when it was applied; nothing when it was not. Throws Error.
std::optional<GroupDefinitions> read_applied(const Folder& folder, const std::string& group);
void write_applied(const Folder& folder, const GroupDefinitions& definitions);

// One word for the definitions and what flows into them.
std::string digest_of(const GroupDefinitions& definitions, const Json& inputs);

// `google_compute_network.net` of `google_compute_network.net["a"]`, `module.net` of
// `module.net.terraform_data.x[0]`, `data.google_project.p`: what a definition of the group has.
std::string root_address(const std::string& address);

}  // namespace slipway::apply
