// `slipway destroy`: removes a local deployment, or destroys one on Google Cloud.
#include "launcher/apply/destroy.h"

#include <fmt/core.h>
#include <unistd.h>

#include "common/command_line.h"
#include "common/status_line.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/deployment_input.h"
#include "launcher/commands/hosts_target.h"
#include "launcher/commands/made_machines.h"
#include "launcher/commands/target.h"
#include "launcher/local/launch.h"

namespace slipway::commands {
namespace {

// Whether it is a blueprint, for machines that exist already.
bool means_blueprint(const std::string& word, const std::string& target) {
  std::error_code ignored;
  return target == "hosts" || (target.empty() && word.find('.') != std::string::npos &&
                               std::filesystem::is_regular_file(word, ignored));
}

// Whether `word` is a folder. A local deployment of that name wins, unless there is a slash.
bool means_folder(const std::string& word, const std::string& target) {
  if (target == "google") return true;
  if (target == "local") return false;
  require_target(target);
  std::error_code ignored;
  if (word.find('/') != std::string::npos) return std::filesystem::is_directory(word, ignored);
  if (!apply::is_deployment_folder(word)) return false;
  return local::DeploymentFolder(local::deployments_folder(), word).run_state() ==
         local::RunState::absent;
}

constexpr size_t most_counted_files = 10'000;

// How many files users have on the shared file systems; at most `most_counted_files`.
size_t count_shared_files(const local::DeploymentFolder& folder) {
  namespace fs = std::filesystem;
  std::error_code unreadable;
  fs::recursive_directory_iterator files(folder.path() / "shared",
                                         fs::directory_options::skip_permission_denied, unreadable);
  size_t count = 0;
  while (!unreadable && files != fs::end(files) && count < most_counted_files) {
    std::error_code ignored;
    if (!files->is_directory(ignored) || files->is_symlink(ignored)) ++count;
    files.increment(unreadable);
  }
  return count;
}

// "Destroy deployment `quickstart` with 12 files on its shared file systems?"
std::string question_about(const local::DeploymentFolder& folder) {
  const size_t files = count_shared_files(folder);
  const std::string count =
      files == most_counted_files ? fmt::format("{} or more", files) : std::to_string(files);
  return fmt::format("Destroy deployment `{}` with {} file{} on its shared file systems?",
                     folder.name(), count, files == 1 ? "" : "s");
}

// Asks on a terminal. Scripts, which have none, are not asked.
void approve(const local::DeploymentFolder& folder) {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0) return;
  const Interrupts interrupts;
  apply::Console().require_approval(question_about(folder), interrupts);
}

void destroy_local(const std::string& name, bool auto_approve) {
  const local::DeploymentFolder folder(local::deployments_folder(), name);
  folder.require_present();  // throws for an unknown name, which needs no lock
  if (!auto_approve) approve(folder);
  // Do not wait for a running change: it ends with the supervisor.
  const local::DeploymentLock lock(folder, "destroy", [&] { local::end_supervisor(folder); });
  {
    StatusLine line;
    const auto work = line.during(fmt::format("removing `{}`", name));
    local::remove(folder);
  }
  fmt::print(stderr, "deployment `{}` is destroyed\n", name);
}

void destroy_google(const DeploymentInput& input, apply::DestroyOptions& options) {
  GoogleDeployment deployment(input);
  deployment.find_programs(GoogleDeployment::Needs::terraform);
  deployment.with_session([&](apply::Session& session, const apply::Selection& selection) {
    options.selection = selection;
    apply::destroy(session, options);
    session.console.print(fmt::format("deployment `{}` is destroyed; its folder stays",
                                      session.folder.recorded.deployment));
  });
}

}  // namespace

int destroy(Args args) {
  DeploymentInput input;
  apply::DestroyOptions options;
  std::string target;
  bool yes = false, keep_machines = false;
  std::string& name = input.blueprint.blueprint;
  CommandLine line("slipway destroy", "Destroy a deployment and everything in it.");
  line.about(
      "DEPLOYMENT is a local one: its nodes, jobs and shared file systems, /home included, are "
      "removed. On a terminal you are asked first; in a script you are not.\n\n"
      "FOLDER was written by `slipway create`: what was deployed from it on Google Cloud is "
      "destroyed, the last group first. The folder itself stays. You are asked before each group, "
      "in a script too. Write ./NAME when a deployment has the same name. Machines that Slurm "
      "started for jobs are deleted with their cluster, unless the blueprint has "
      "`enable_cleanup_compute: false`. If something is left, run it again.\n\n"
      "BLUEPRINT has `machines`: these leave the cluster. Slurm's daemons stop there, and its "
      "files are removed; packages, Slurm's state and logs stay.");
  line.positional("DEPLOYMENT|FOLDER|BLUEPRINT", &name);
  line.option("target", "local|google|hosts", "which one, if the name could be several", &target,
              "local if there is such a deployment");
  line.flag("auto-approve", "do not ask", &options.auto_approve);
  line.flag("yes,y", "the same", &yes);
  line.hide();
  line.section("Options for Google Cloud");
  line.option("only", "GROUP,...", "destroy these groups only", &input.only);
  line.option("skip", "GROUP,...", "destroy all groups but these", &input.skip);
  line.flag("images", "delete the images that Packer built, too", &options.images);
  line.flag("keep-machines", "do not look for machines that Slurm started", &keep_machines);
  line.option("diagnostics", "text|json", "how to print mistakes", &input.blueprint.diagnostics);
  line.section("Options for a blueprint");
  line.option("deployment-file,d", "FILE", "take variables and `machines` from this file",
              &input.blueprint.deployment_files);
  line.option("vars", "NAME=VALUE", "set a variable", &input.blueprint.vars);
  line.section("");
  line.example("slipway destroy quickstart", "remove a local deployment and end its jobs");
  line.example("slipway destroy ./cluster", "destroy what was deployed from this folder");
  line.example("slipway destroy lab.yaml", "take the machines that exist out of the cluster");
  line.see_also("slipway-deploy(1)");
  if (!line.parse(args)) return 0;

  options.auto_approve = options.auto_approve || yes;

  if (means_blueprint(name, target)) {
    LoadedBlueprint loaded(input.blueprint, Purpose::cluster);
    destroy_hosts(loaded, {.auto_approve = options.auto_approve});
    return 0;
  }
  if (means_folder(name, target)) {
    if (!input.is_folder()) throw Error(fmt::format("there is no folder `{}`", name));
    if (!keep_machines) options.made_machines = machines_made_by_slurm();
    destroy_google(input, options);
    return 0;
  }
  if (!input.only.empty() || !input.skip.empty() || options.images || keep_machines) {
    throw UsageError("--only, --skip, --images and --keep-machines are for a folder");
  }
  destroy_local(name, options.auto_approve);
  return 0;
}

}  // namespace slipway::commands
