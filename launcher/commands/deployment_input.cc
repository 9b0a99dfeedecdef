// Opens the deployment on Google Cloud that the command line names.
#include "launcher/commands/deployment_input.h"

#include <fmt/core.h>

#include "common/count.h"
#include "common/text.h"
#include "launcher/commands/page.h"
#include "launcher/google/write_folder.h"

namespace slipway::commands {

namespace fs = std::filesystem;

bool DeploymentInput::is_folder() const {
  std::error_code ignored;
  return fs::is_directory(blueprint.blueprint, ignored);
}

void DeploymentInput::check() const {
  if (!is_folder()) return;
  const BlueprintInput& given = blueprint;
  if (given.deployment_files.empty() && given.vars.empty() && given.backend_config.empty() &&
      given.skip_validators.empty() && given.validation_level.empty()) {
    return;
  }
  throw UsageError("a folder has its settings already; options such as --vars need a blueprint");
}

GoogleDeployment::GoogleDeployment(const DeploymentInput& input) : input_(input) {
  input.check();
  if (input.is_folder()) {
    path_ = fs::path(input.blueprint.blueprint).lexically_normal();
    google::read_record(path_);  // throws unless `create` made it
    places_ = std::make_unique<apply::Places>(path_, sources_);
    return;
  }
  loaded_ = std::make_unique<LoadedBlueprint>(input.blueprint, Purpose::definitions);
  definitions_ = loaded_->define();
  path_ = (fs::path(input.parent) / definitions_->deployment).lexically_normal();
  places_ = std::make_unique<apply::Places>(loaded_->compiled(), loaded_->diagnostics().sources());
}

void GoogleDeployment::find_programs(Needs needs) {
  std::string before;
  std::vector<google::GroupSteps> groups;
  if (definitions_) groups = definitions_->groups;
  if (apply::is_deployment_folder(path_)) {
    const apply::Folder folder(path_);
    before = apply::Journal(folder).program;
    if (!definitions_) groups = folder.recorded.groups;
  }
  const apply::Selection selection = apply::select(groups, input_.only, input_.skip);
  // Also the groups whose outputs they read.
  std::set<std::string> needed;
  for (const google::GroupSteps& group : groups) {
    if (!selection.has(group.name)) continue;
    needed.insert(group.name);
    for (const google::GroupSteps::Input& input : group.inputs) needed.insert(input.from_group);
  }
  // Before it destroys anything, destroy() asks other groups' backends whether they are deployed.
  for (const google::GroupSteps& group : groups) {
    if (needs == Needs::terraform && fs::exists(path_ / group.name / "backend.tf.json")) {
      needed.insert(group.name);
    }
  }
  std::erase_if(groups, [&](const google::GroupSteps& group) {
    return !needed.contains(group.name) || (needs == Needs::terraform && group.kind == "packer");
  });
  source::Diagnostics diagnostics(places_->sources());
  programs_ = apply::find_programs(groups, before, *places_, diagnostics);
  if (diagnostics.errors() == 0) return;
  show(diagnostics, input_.blueprint.diagnostics == "json");
  throw ReportedError("a program is missing");
}

void GoogleDeployment::write() {
  if (!definitions_) return;
  if (apply::is_deployment_folder(path_)) {
    const Fd lock = google::lock_folder(path_);
    const apply::Folder folder(path_);
    apply::Journal journal(folder);
    apply::Console console;
    apply::wait_for_earlier_run(journal, console, Interrupts());
  }
  const size_t files = google::write_folder(path_, *definitions_, google::Existing::replace);
  fmt::print(stderr, "{} in {}\n", counted(files, "file"), path_.string());
}

void GoogleDeployment::with_session(
    const std::function<void(apply::Session&, const apply::Selection&)>& work) {
  const Fd lock = google::lock_folder(path_);
  const apply::Folder folder(path_);
  folder.prepare();
  apply::Journal journal(folder);
  apply::Console console;
  const Interrupts interrupts;
  apply::wait_for_earlier_run(journal, console, interrupts);
  apply::Session session{folder,
                         journal,
                         programs_,
                         *places_,
                         console,
                         interrupts,
                         input_.blueprint.diagnostics == "json"};
  work(session, apply::select(folder.recorded.groups, input_.only, input_.skip));
}

}  // namespace slipway::commands
