// Reads the definitions of a group from the deployment folder, and saves a copy of those that were
// applied.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "launcher/apply/folder.h"

namespace slipway::apply {

using Json = nlohmann::ordered_json;

struct GroupDefinitions {
  std::string group, kind;
  std::map<std::string, Json> documents;  // JSON files written by `create`, by path in the group
  std::map<std::string, std::string> digests;  // of every file, and of staged files that it names

  // The module of an address such as `google_compute_network.net` or `module.net`; empty if the
  // address is not in these definitions.
  std::string module_of(const std::string& address) const;

  // The module of a file that Terraform names: "net.tf.json", or "modules/x/main.tf" if only one
  // module calls that folder.
  std::string module_of_file(const std::string& path) const;
};

// Throws Error.
GroupDefinitions read_definitions(const Folder& folder, const google::GroupSteps& group);

// The definitions of the group when it was last applied; nothing if it never was. Throws Error.
std::optional<GroupDefinitions> read_applied(const Folder& folder, const std::string& group);
void write_applied(const Folder& folder, const GroupDefinitions& definitions);

// A digest of the definitions and their inputs.
std::string digest_of(const GroupDefinitions& definitions, const Json& inputs);

// The part of an address that is in the group's definitions: `google_compute_network.net` of
// `google_compute_network.net["a"]`, `module.net` of `module.net.terraform_data.x[0]`.
std::string root_address(const std::string& address);

}  // namespace slipway::apply
