// Passes outputs of earlier groups to the variables of a group.
#pragma once

#include "launcher/apply/definition_files.h"
#include "launcher/apply/session.h"

namespace slipway::apply {

// The outputs of groups, each read once.
class Outputs {
 public:
  explicit Outputs(Session& session) : session_(session) {}

  // Throws Error if the group does not have the output.
  const Json& value(const std::string& group, const std::string& output);

  // Call after the group was applied.
  void forget(const std::string& group) { known_.erase(group); }

 private:
  Session& session_;
  std::map<std::string, Json> known_;
};

// The values of the group's variables or, for a foreign Packer module, of its settings. Throws
// Error.
Json inputs_of(const google::GroupSteps& group, Outputs& outputs);

// Writes them to the file that Terraform reads, or Packer with -var-file. Only the owner can read
// it.
void write_inputs(const Folder& folder, const google::GroupSteps& group, const Json& inputs);
std::filesystem::path inputs_file(const Folder& folder, const google::GroupSteps& group);

}  // namespace slipway::apply
