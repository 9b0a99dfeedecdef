// `slipway plan`: shows what a deploy to Google Cloud would change.
#include <fmt/core.h>

#include <stdlib.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/installation.h"
#include "common/locale_text.h"
#include "launcher/apply/preview.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/deployment_input.h"
#include "launcher/google/write_folder.h"

namespace slipway::commands {
namespace {

// A blueprint's definitions in a temporary folder.
class WrittenAside {
 public:
  explicit WrittenAside(const google::Definitions& definitions) {
    std::string name = (std::filesystem::temp_directory_path() / "slipway-plan-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw_errno("cannot make a temporary folder");
    folder_ = name;
    path_ = folder_ / definitions.deployment;
    google::write_folder(path_, definitions, google::Existing::refuse);
  }
  ~WrittenAside() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  WrittenAside(const WrittenAside&) = delete;
  WrittenAside& operator=(const WrittenAside&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path folder_, path_;
};

std::vector<apply::GroupChanges> previewed(GoogleDeployment& deployment, bool ask_terraform) {
  const auto rules = apply::load_replacement_rules(find_installation().blueprints());
  if (ask_terraform) {
    deployment.find_programs();
    std::vector<apply::GroupChanges> changes;
    deployment.with_session([&](apply::Session& session, const apply::Selection&) {
      changes = apply::preview_with_terraform(session, rules);
    });
    return changes;
  }
  if (deployment.definitions() == nullptr) {
    const apply::Folder folder(deployment.path());
    return apply::preview(folder, &folder, rules);
  }
  const WrittenAside aside(*deployment.definitions());
  const apply::Folder now(aside.path());
  if (!apply::is_deployment_folder(deployment.path())) return apply::preview(now, nullptr, rules);
  const apply::Folder deployed(deployment.path());
  return apply::preview(now, &deployed, rules);
}

}  // namespace

int plan(Args args) {
  DeploymentInput input;
  bool json = false, ask_terraform = false, tell_changes = false;
  CommandLine line("slipway plan",
                   "Show what a deploy to Google Cloud would create, change and destroy.");
  line.about(
      "All groups are compared with the last deploy, by their definitions. The cloud is not asked "
      "and nothing is changed. With --terraform, Terraform's own plan is shown for each group "
      "whose inputs are known.");
  input.blueprint.add_options(line, "BLUEPRINT|FOLDER");
  line.option("output,o", "FOLDER", "where the deployment's folder is", &input.parent);
  line.flag("terraform", "ask Terraform for its plan; needs a folder", &ask_terraform);
  line.json("schema slipway/plan/1", &json);
  line.example("slipway plan cluster.yaml", "compare a changed blueprint with the last deploy");
  line.example("slipway plan ./cluster --terraform", "ask Terraform about a folder");
  line.flag("detailed-exitcode", "end with 3 if there are changes", &tell_changes);
  line.exit_status("3", "there are changes, with --detailed-exitcode");
  line.see_also("slipway-deploy(1)");
  if (!line.parse(args)) return 0;
  if (ask_terraform && !input.is_folder()) {
    throw UsageError("--terraform needs a folder, which `slipway create -w` writes");
  }
  GoogleDeployment deployment(input);
  const std::vector<apply::GroupChanges> changes = previewed(deployment, ask_terraform);
  if (json) {
    const std::string name = deployment.definitions() != nullptr
                                 ? deployment.definitions()->deployment
                                 : apply::Folder(deployment.path()).recorded.deployment;
    fmt::print("{}\n", apply::to_json(name, changes).dump(2));
  } else {
    fmt::print("{}", for_locale(apply::to_text(changes)));
  }
  const bool nothing = std::ranges::all_of(changes, &apply::GroupChanges::empty);
  return tell_changes && !nothing ? 3 : 0;
}

}  // namespace slipway::commands
