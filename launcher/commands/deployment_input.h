// A deployment on Google Cloud, as deploy, plan and destroy take it from the command line: a
// folder that `create` has made, or a blueprint that it is made from first.
#pragma once

#include <memory>

#include "launcher/apply/deploy.h"
#include "launcher/commands/blueprint_input.h"
#include "launcher/google/definitions.h"

namespace slipway::commands {

struct DeploymentInput {
  BlueprintInput blueprint;  // `blueprint.blueprint` may be the folder
  std::string parent = ".";  // where the folder of a blueprint's deployment is
  std::vector<std::string> only, skip;

  bool is_folder() const;

  // Throws UsageError when a folder is given with options that are for blueprints.
  void check() const;
};

// A deployment folder that is worked on.
class GoogleDeployment {
 public:
  // Compiles the blueprint, if there is one. Throws InvalidBlueprint after showing what is wrong.
  explicit GoogleDeployment(const DeploymentInput& input);

  // The folder; of a blueprint, where it is or will be.
  const std::filesystem::path& path() const { return path_; }
  // Those of a blueprint; null of a folder.
  const google::Definitions* definitions() const { return definitions_ ? &*definitions_ : nullptr; }

  // Finds the programs that the selected groups need. Throws ReportedError after showing what is
  // missing.
  void find_programs();

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
