// Collects candidates for completion, from the library, the catalogue and running deployments.
#include "launcher/commands/candidates.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>

#include "common/installation.h"
#include "common/text.h"
#include "launcher/blueprint/terraform_reader.h"
#include "launcher/commands/blueprint_input.h"
#include "launcher/local/deployment_view.h"
#include "launcher/local/fault.h"
#include "launcher/local/image_store.h"
#include "launcher/modules/library.h"
#include "launcher/source/codes.h"

namespace slipway::commands {
namespace {

namespace fs = std::filesystem;
using Context = CompletionContext;
using Candidates = std::vector<Candidate>;

Candidates deployments(const Context&) {
  Candidates found;
  for (const local::DeploymentFolder& folder : local::all_deployments()) {
    found.push_back({folder.name()});
  }
  return found;
}

Candidates nodes(const Context& context) {
  if (context.words.empty()) return {};
  Candidates found = {{"login", "the first login node"}, {"controller", "the controller"}};
  if (context.program == "slipway exec") found.push_back({"all", "every node, one by one"});
  const local::DeploymentFolder folder(local::deployments_folder(), context.words[0]);
  for (const local::NodeView& node : local::view(folder).nodes) {
    found.push_back({node.name, node.role + (node.running ? "" : ", off")});
  }
  return found;
}

// The faults; after `clear`, those that the node has.
Candidates faults(const Context& context) {
  Candidates found;
  if (context.words.size() == 2) {
    for (const local::FaultKind& kind : local::fault_kinds()) {
      found.push_back({kind.name, kind.about});
    }
    found.push_back({"clear", "clear all faults of the node, or one"});
    found.push_back({"power-on", "clear the fault power-off and start the node"});
  } else if (context.words.size() == 3 && context.words[2] == "clear") {
    const local::DeploymentFolder folder(local::deployments_folder(), context.words[0]);
    const local::DeploymentView view = local::view(folder);
    const std::string name = local::resolve_node(view, context.words[1]);
    for (const local::NodeView& node : view.nodes) {
      if (node.name != name) continue;
      for (const std::string& fault : node.faults) found.push_back({split(fault, ' ').front()});
    }
  }
  return found;
}

// Modules of the library by the last part of their path, or by the path where that is not unique.
Candidates modules_of_library() {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  modules::Library library(find_installation().blueprints(), sources);
  std::map<std::string, int> same;
  for (const std::string& path : library.paths()) ++same[fs::path(path).filename().string()];
  Candidates found = {{":folder"}};
  for (const std::string& path : library.paths()) {
    const modules::Interface* interface = library.find(path, diagnostics);
    const std::string last = fs::path(path).filename().string();
    found.push_back({same[last] == 1 ? last : path, interface->about});
  }
  return found;
}

// MODULE or MODULE.SETTING of the blueprint that `slipway explain` names.
Candidates modules_of_blueprint(const Context& context) {
  BlueprintInput input;
  input.blueprint = context.words.at(0);
  LoadedBlueprint loaded(input, Purpose::deployment);
  const blueprint::Deployment& deployment = loaded.deployment_with_errors();
  Candidates found;
  const size_t dot = context.current.find('.');
  if (dot == std::string::npos) {
    for (const std::string& id : deployment.module_ids()) found.push_back({id});
    found.push_back({"vars", "the variables"});
    return found;
  }
  const std::string id = context.current.substr(0, dot);
  if (id == "vars") {
    for (const std::string& name : deployment.variable_names()) found.push_back({"vars." + name});
  }
  const blueprint::Module* module = deployment.find(id).module;
  if (module == nullptr || module->interface == nullptr) return found;
  for (const modules::Input& one : module->interface->inputs) {
    if (one.gone.empty()) found.push_back({id + "." + one.name, one.help});
  }
  return found;
}

Candidates modules(const Context& context) {
  return context.program == "slipway explain" ? modules_of_blueprint(context)
                                              : modules_of_library();
}

// Codes once a code has been begun; before that they would bury the files.
Candidates codes(const Context& context) {
  if (context.current.size() < 2) return {};
  Candidates found;
  for (const source::CodeInfo& info : source::codes()) {
    found.push_back({std::string(info.name), std::string(info.title)});
  }
  return found;
}

// Jobs that have a ledger in the current folder.
Candidates jobs(const Context&) {
  constexpr std::string_view before = "slipway-ledger-", after = ".jsonl";
  Candidates found;
  for (const auto& entry : fs::directory_iterator(".")) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(before) || !name.ends_with(after)) continue;
    found.push_back({name.substr(before.size(), name.size() - before.size() - after.size())});
  }
  return found;
}

Candidates images(const Context&) {
  Candidates found;
  for (const local::LocalImage& image : local::ImageStore().list()) {
    found.push_back({image.name, "Slurm " + image.slurm});
  }
  return found;
}

Candidates validators(const Context&) {
  Candidates found;
  for (const std::string& name : blueprint::validator_names()) found.push_back({name});
  return found;
}

Candidates daemons(const Context&) {
  return {{"slurmctld"}, {"slurmd"}, {"slurmdbd"}, {"mariadbd"}, {"munged"}};
}

const std::map<std::string, std::function<Candidates(const Context&)>>& by_kind() {
  static const std::map<std::string, std::function<Candidates(const Context&)>> kinds{
      {"deployment", deployments}, {"node", nodes},           {"fault", faults},
      {"module", modules},         {"code", codes},           {"job", jobs},
      {"image", images},           {"validator", validators}, {"daemon", daemons}};
  return kinds;
}

}  // namespace

std::vector<Candidate> candidates(const std::string& value_name, const CompletionContext& context) {
  Candidates found = plain_candidates(value_name);
  for (const std::string& kind : kinds_of(value_name)) {
    const auto how = by_kind().find(kind);
    if (how == by_kind().end()) continue;
    for (Candidate& one : how->second(context)) found.push_back(std::move(one));
  }
  return found;
}

}  // namespace slipway::commands
