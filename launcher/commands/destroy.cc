// slipway destroy: take a deployment down and remove all of it.
#include "launcher/apply/destroy.h"

#include <fmt/core.h>

#include "common/command_line.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/deployment_input.h"
#include "launcher/local/launch.h"

namespace slipway::commands {
namespace {

// A path of a folder is one. A word without a slash is a deployment on this machine, if there is
// one of that name.
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
  CommandLine line(
      "slipway destroy", "NAME|FOLDER [options]",
      "Take a deployment down and remove all of it, its shared file systems "
      "included.\nNAME is one on this machine; FOLDER is one that `slipway create` has "
      "written: what it has made\non Google Cloud is destroyed in reverse order, and the "
      "folder stays.");
  line.positional("NAME", &name);
  line.option("target", "PLACE", "local or google, where a name could be both", &target);
  line.option("only", "GROUP,...", "google: these groups", &input.only);
  line.option("skip", "GROUP,...", "google: all groups but these", &input.skip);
  line.flag("images", "google: also delete the images that were built", &options.images);
  line.flag("auto-approve", "google: do not ask before each group", &options.auto_approve);
  line.option("diagnostics", "text|json", "google: the form of error messages",
              &input.blueprint.diagnostics);
  line.example("slipway destroy quickstart", "whatever runs on it");
  line.example("slipway destroy ./cluster", "what was made from this folder in the cloud");
  if (!line.parse(args)) return 0;

  if (means_folder(name, target)) {
    if (!input.is_folder()) throw Error(fmt::format("there is no folder `{}`", name));
    GoogleDeployment deployment(input);
    deployment.find_programs();
    deployment.with_session([&](apply::Session& session, const apply::Selection& selection) {
      options.selection = selection;
      apply::destroy(session, options);
      session.console.print(fmt::format("deployment `{}` is gone; its folder stays",
                                        session.folder.recorded.deployment));
    });
    return 0;
  }
  if (!input.only.empty() || !input.skip.empty() || options.images || options.auto_approve) {
    throw UsageError("--only, --skip, --images and --auto-approve are for a folder");
  }
  const local::DeploymentFolder folder(local::deployments_folder(), name);
  folder.require_present();  // throws for an unknown name, which needs no lock
  // A change that goes on by itself is not waited for: it ends with the supervisor.
  const local::DeploymentLock lock(folder, "destroy", [&] { local::end_supervisor(folder); });
  local::remove(folder);
  fmt::print(stderr, "deployment `{}` is gone\n", name);
  return 0;
}

}  // namespace slipway::commands
