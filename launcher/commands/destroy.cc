// `slipway destroy`: removes a local deployment, or destroys one on Google Cloud.
#include "launcher/apply/destroy.h"

#include <fmt/core.h>

#include "common/command_line.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/deployment_input.h"
#include "launcher/local/launch.h"

namespace slipway::commands {
namespace {

// Whether `word` is a folder. A local deployment of that name wins, unless there is a slash.
bool means_folder(const std::string& word, const std::string& target) {
  if (target == "google") return true;
  if (target == "local") return false;
  if (!target.empty()) {
    throw UsageError(fmt::format("unknown target `{}`; known: local, google", target));
  }
  std::error_code ignored;
  if (word.find('/') != std::string::npos) return std::filesystem::is_directory(word, ignored);
  if (!apply::is_deployment_folder(word)) return false;
  return local::DeploymentFolder(local::deployments_folder(), word).run_state() ==
         local::RunState::absent;
}

}  // namespace

int destroy(Args args) {
  DeploymentInput input;
  apply::DestroyOptions options;
  std::string target;
  std::string& name = input.blueprint.blueprint;
  CommandLine line("slipway destroy", "Destroy a deployment and everything in it.");
  line.about(
      "DEPLOYMENT is a local one: its nodes, jobs and shared file systems, /home included, are "
      "removed without a question.\n\n"
      "FOLDER was written by `slipway create`: what was deployed from it on Google Cloud is "
      "destroyed, the last group first. The folder itself stays. Write ./NAME when a deployment "
      "has the same name.");
  line.positional("DEPLOYMENT|FOLDER", &name);
  line.option("target", "local|google", "which one, if the name could be both", &target,
              "local if there is such a deployment");
  line.section("Options for Google Cloud");
  line.option("only", "GROUP,...", "destroy these groups only", &input.only);
  line.option("skip", "GROUP,...", "destroy all groups but these", &input.skip);
  line.flag("images", "delete the images that Packer built, too", &options.images);
  line.flag("auto-approve", "do not ask before each group", &options.auto_approve);
  line.option("diagnostics", "text|json", "how to print mistakes", &input.blueprint.diagnostics);
  line.section("");
  line.example("slipway destroy quickstart", "remove a local deployment and end its jobs");
  line.example("slipway destroy ./cluster", "destroy what was deployed from this folder");
  line.see_also("slipway-deploy(1)");
  if (!line.parse(args)) return 0;

  if (means_folder(name, target)) {
    if (!input.is_folder()) throw Error(fmt::format("there is no folder `{}`", name));
    GoogleDeployment deployment(input);
    deployment.find_programs();
    deployment.with_session([&](apply::Session& session, const apply::Selection& selection) {
      options.selection = selection;
      apply::destroy(session, options);
      session.console.print(fmt::format("deployment `{}` is destroyed; its folder stays",
                                        session.folder.recorded.deployment));
    });
    return 0;
  }
  if (!input.only.empty() || !input.skip.empty() || options.images || options.auto_approve) {
    throw UsageError("--only, --skip, --images and --auto-approve are for a folder");
  }
  const local::DeploymentFolder folder(local::deployments_folder(), name);
  folder.require_present();  // throws for an unknown name, which needs no lock
  // Do not wait for a running change: it ends with the supervisor.
  const local::DeploymentLock lock(folder, "destroy", [&] { local::end_supervisor(folder); });
  local::remove(folder);
  fmt::print(stderr, "deployment `{}` is destroyed\n", name);
  return 0;
}

}  // namespace slipway::commands
