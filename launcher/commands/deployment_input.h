// The deployment on Google Cloud that deploy, plan and destroy work on: a folder that `create`
// made, or a blueprint from which it is made first.
#pragma once

#include <memory>

#include "launcher/apply/deploy.h"
#include "launcher/commands/blueprint_input.h"
#include "launcher/google/definitions.h"

namespace slipway::commands {

struct DeploymentInput {
  BlueprintInput blueprint;  // `blueprint.blueprint` may be the folder
  std::string parent = ".";  // where a blueprint's deployment folder is
  std::vector<std::string> only, skip;

  bool is_folder() const;

  // Throws UsageError if options for blueprints are given with a folder.
  void check() const;
};

// A deployment folder, and what is needed to work on it.
class GoogleDeployment {
 public:
  // Compiles the blueprint, unless a folder is given. Throws InvalidBlueprint after showing what is
  // wrong.
  explicit GoogleDeployment(const DeploymentInput& input);

  // The folder, which may not exist yet for a blueprint.
  const std::filesystem::path& path() const { return path_; }
  // The definitions of a blueprint; null for a folder.
  const google::Definitions* definitions() const { return definitions_ ? &*definitions_ : nullptr; }

  enum class Needs { all, terraform };  // destroying needs no Packer
  // Finds the programs that the selected groups need. Throws ReportedError after showing what is
  // missing.
  void find_programs(Needs needs = Needs::all);

  // Writes a blueprint's definitions into the folder.
  void write();

  // Opens the folder, locks it, and calls `work`.
  void with_session(const std::function<void(apply::Session&, const apply::Selection&)>& work);

 private:
  const DeploymentInput& input_;
  source::Sources sources_;  // of a folder's own blueprint
  std::unique_ptr<LoadedBlueprint> loaded_;
  std::optional<google::Definitions> definitions_;
  std::filesystem::path path_;
  std::unique_ptr<apply::Places> places_;
  apply::Programs programs_;
};

}  // namespace slipway::commands
