// What flows from earlier groups into a group: outputs become the values of its variables.
#pragma once

#include "launcher/apply/definition_files.h"
#include "launcher/apply/session.h"

namespace slipway::apply {

// The outputs of groups, asked for once each.
class Outputs {
 public:
  explicit Outputs(Session& session) : session_(session) {}

  // Throws Error when the group does not give it.
  const Json& value(const std::string& group, const std::string& output);

  // The group has been applied since.
  void forget(const std::string& group) { known_.erase(group); }

 private:
  Session& session_;
  std::map<std::string, Json> known_;
};

// The values of the group's variables; of a foreign Packer module, of its settings. Throws Error.
Json inputs_of(const google::GroupSteps& group, Outputs& outputs);

// Writes them where Terraform, or Packer with -var-file, reads them: its owner's alone.
void write_inputs(const Folder& folder, const google::GroupSteps& group, const Json& inputs);
std::filesystem::path inputs_file(const Folder& folder, const google::GroupSteps& group);

}  // namespace slipway::apply
