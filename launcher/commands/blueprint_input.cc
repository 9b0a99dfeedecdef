// Reads a blueprint for a command.
#include "launcher/commands/blueprint_input.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>
#include <mutex>
#include <utility>

#include "common/count.h"
#include "common/file.h"
#include "common/installation.h"
#include "common/kept.h"
#include "common/text.h"
#include "launcher/blueprint/module_at.h"
#include "launcher/blueprint/terraform_reader.h"
#include "launcher/cluster/bandwidth_reader.h"
#include "launcher/cluster/build.h"
#include "launcher/cluster/tpu_check.h"
#include "launcher/commands/page.h"
#include "launcher/google/definitions.h"
#include "launcher/google/needs.h"
#include "launcher/google/project_needs.h"
#include "launcher/health/policy.h"
#include "launcher/kubernetes/check.h"
#include "launcher/local/plan.h"

namespace slipway::commands {
namespace {

// Splits "a=1,b=[2,3],c='x,y'" at the commas between assignments, not within brackets or quotes.
std::vector<std::string> assignments(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  char quote = '\0';
  for (char c : text) {
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      parts.emplace_back();
      continue;
    }
    parts.back() += c;
  }
  return parts;
}

blueprint::Options options_of(const BlueprintInput& input) {
  blueprint::Options options;
  options.need_files = input.need_files;
  options.known = input.known.get();
  const std::vector<std::string> known = blueprint::validator_names();
  for (const std::string& list : input.skip_validators) {
    for (const std::string& name : split(list, ',')) {
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        const std::string hint = source::did_you_mean(name, known);
        throw UsageError(
            fmt::format("unknown validator `{}`{}", name, hint.empty() ? "" : "; " + hint));
      }
      options.skipped_validators.push_back(name);
    }
  }
  if (input.validation_level.empty()) return options;
  using blueprint::Level;
  static const std::map<std::string, Level> levels{
      {"ERROR", Level::error}, {"WARNING", Level::warning}, {"IGNORE", Level::ignore}};
  std::string name = input.validation_level;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const auto level = levels.find(name);
  if (level == levels.end()) {
    throw UsageError(fmt::format("--validation-level takes ERROR, WARNING or IGNORE, not `{}`",
                                 input.validation_level));
  }
  options.validation_level = level->second;
  return options;
}

}  // namespace

std::filesystem::path catalogue_folder() {
  return find_installation().blueprints() / "catalogue";
}

namespace {

void check_slices(blueprint::Compiled* compiled, source::Sources& sources,
                  source::Diagnostics& diagnostics) {
  if (compiled == nullptr) return;
  cluster::check_tpus(compiled->evaluation,
                      cluster::load_tpus(catalogue_folder(), sources, diagnostics), diagnostics);
}

}  // namespace

void BlueprintInput::add_options(CommandLine& line, const std::string& name, Arity arity) {
  line.positional(name, &blueprint, arity);
  line.option("deployment-file,d", "FILE",
              "take variables from this file, overriding the blueprint's", &deployment_files);
  line.option("vars", "NAME=VALUE", "set a variable, overriding both; the value is YAML", &vars);
  line.option(
      "backend-config", "NAME=VALUE",
      "where Terraform keeps its state, overriding the blueprint's; `type` is gcs unless set",
      &backend_config);
  line.option("skip-validators", "VALIDATOR,...", "skip these checks", &skip_validators);
  line.option("validation-level,l", "ERROR|WARNING|IGNORE", "what a failed validator means",
              &validation_level, "ERROR");
  line.option("diagnostics", "text|json", "how to print mistakes on stderr", &diagnostics);
}

std::vector<source::Span> LoadedBlueprint::add_assignments(const std::string& option,
                                                           const std::vector<std::string>& lists) {
  std::vector<source::Span> spans;
  for (const std::string& list : lists) {
    for (const std::string& assignment : assignments(list)) {
      if (assignment.find('=') == 0 || assignment.find('=') == std::string::npos) {
        throw UsageError(fmt::format("{} takes NAME=VALUE, not `{}`", option, assignment));
      }
      spans.push_back(sources_.add(option, assignment));
    }
  }
  return spans;
}

LoadedBlueprint::LoadedBlueprint(const BlueprintInput& input, Purpose purpose)
    : library_(find_installation().blueprints(), sources_), purpose_(purpose) {
  if (purpose != Purpose::definitions) library_.skip_bodies();
  if (input.diagnostics != "text" && input.diagnostics != "json") {
    throw UsageError(
        fmt::format("--diagnostics takes `text` or `json`, not `{}`", input.diagnostics));
  }
  as_json_ = input.diagnostics == "json";
  shows_ = input.shows_diagnostics;
  blueprint::Texts texts;
  texts.blueprint =
      input.text ? sources_.add(input.blueprint, *input.text) : sources_.add_file(input.blueprint);
  for (const std::string& file : input.deployment_files) {
    texts.deployment_files.push_back(sources_.add_file(file));
  }
  if (purpose != Purpose::deployment) {
    early_data_ = std::async(std::launch::async, [purpose] {
      SharedSiteData data = right_site_data(purpose);
      if (purpose == Purpose::definitions) google::read_ahead(find_installation().blueprints());
      return data;
    });
  }
  texts.assignments = add_assignments("--vars", input.vars);
  texts.backend_assignments = add_assignments("--backend-config", input.backend_config);
  compiled_ = blueprint::compile(texts, options_of(input), library_, sources_, diagnostics_);
}

void LoadedBlueprint::show() const {
  if (shows_) commands::show(diagnostics_, as_json_);
}

LoadedBlueprint::SharedSiteData LoadedBlueprint::read_site_data(Purpose purpose,
                                                                source::Sources& sources,
                                                                source::Diagnostics& diagnostics) {
  const std::filesystem::path folder = catalogue_folder();
  auto shared = std::make_shared<SiteData>();
  SiteData& data = *shared;
  data.catalogue = cluster::load_catalogue(folder, sources, diagnostics);
  if (data.catalogue.complete) {
    cluster::load_bandwidth(folder, data.catalogue, sources, diagnostics);
  }
  if (purpose == Purpose::definitions) {
    data.zones = cluster::load_zones(folder, sources, diagnostics);
  }
  return shared;
}

// Null if there is a mistake in it.
LoadedBlueprint::SharedSiteData LoadedBlueprint::right_site_data(Purpose purpose) {
  static std::map<Purpose, Kept<SiteData>> kept{};
  static std::mutex mutex;
  Kept<SiteData>* own = nullptr;
  {
    const std::lock_guard lock(mutex);
    own = &kept[purpose];
  }
  return own->get(catalogue_folder(), [&] {
    source::Sources sources;
    source::Diagnostics diagnostics(sources);
    SharedSiteData data = read_site_data(purpose, sources, diagnostics);
    return diagnostics.errors() + diagnostics.warnings() > 0 ? nullptr : data;
  });
}

const LoadedBlueprint::SiteData& LoadedBlueprint::site_data() {
  if (early_data_.valid()) data_ = early_data_.get();
  // With mistakes in it, it is read again, in its turn and with our diagnostics.
  if (!data_) data_ = read_site_data(purpose_, sources_, diagnostics_);
  return *data_;
}

bool LoadedBlueprint::has_cluster() const {
  return compiled_ && cluster::has_cluster(compiled_->deployment);
}

std::optional<cluster::Cluster> LoadedBlueprint::build() {
  auto cluster = cluster::build(compiled_->evaluation, site_data().catalogue, diagnostics_);
  if (!cluster) return std::nullopt;
  if (const std::string& policy = cluster->controller.health_policy; !policy.empty()) {
    health::load_policy(catalogue_folder(),
                        sources_.add(cluster->controller.id + ".health_policy", policy), sources_,
                        diagnostics_);
    if (diagnostics_.errors() > 0) return std::nullopt;
  }
  return cluster;
}

const blueprint::Deployment& LoadedBlueprint::deployment() {
  show();
  if (diagnostics_.errors() > 0) throw InvalidBlueprint();
  return compiled_->deployment;
}

const blueprint::Deployment& LoadedBlueprint::deployment_with_errors() {
  if (!compiled_ || as_json_) show();
  if (!compiled_) throw InvalidBlueprint();
  return compiled_->deployment;
}

CheckedCluster LoadedBlueprint::cluster() {
  std::optional<cluster::Cluster> cluster;
  check_machines();
  if (compiled_) cluster = build();
  show();
  if (!cluster || diagnostics_.errors() > 0) throw InvalidBlueprint();
  return {*std::move(cluster), data_->catalogue};
}

std::vector<std::string> LoadedBlueprint::left_out_here() const {
  std::map<const modules::Interface*, std::vector<std::string>> modules;
  for (const blueprint::Group& group : compiled_->deployment.groups) {
    for (const blueprint::Module& module : group.modules) {
      if (!module.interface->model) modules[module.interface].push_back(module.id);
    }
  }
  std::vector<std::string> lines;
  for (const auto& [interface, ids] : modules) {
    lines.push_back(fmt::format(
        "{} ({}): {}", slipway::join(ids, ", "), interface->path,
        interface->local.empty() ? "it has no meaning on this machine" : interface->local));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

google::Definitions LoadedBlueprint::plan_on_google(const cluster::Cluster* cluster,
                                                    google::Wanted wanted) {
  return google::define({compiled_->evaluation, cluster, &site_data().catalogue, &site_data().zones,
                         find_installation().blueprints(), wanted},
                        diagnostics_);
}

void LoadedBlueprint::plan_in_spite_of_errors() {
  for (const blueprint::Group& group : compiled_->deployment.groups) {
    for (const blueprint::Module& module : group.modules) {
      if (module.interface == nullptr) return;
      // Such a group is neither Terraform's nor Packer's.
      if (module.interface->kind != group.modules.front().interface->kind) return;
    }
  }
  const source::Diagnostics known = std::exchange(diagnostics_, source::Diagnostics(sources_));
  plan_on_google(nullptr, google::Wanted::problems);
  const blueprint::ModulePlaces places(compiled_->deployment);
  diagnostics_ = places.elsewhere(std::exchange(diagnostics_, known), known);
  diagnostics_.add(known);
}

void LoadedBlueprint::plan_here(const cluster::Cluster& cluster, bool is_only_target) {
  try {
    local::require_plan(cluster, site_data().catalogue);
  } catch (const Error& error) {
    const source::Span place = compiled_->deployment.find(cluster.controller.id).module->id_span;
    const std::string message =
        fmt::format("this cluster cannot run on this machine: {}", error.what());
    (is_only_target ? diagnostics_.error(source::Code::no_local_cluster, place, message)
                    : diagnostics_.warning(source::Code::no_local_cluster, place, message));
  }
}

void LoadedBlueprint::check_manifests() {
  if (!compiled_) return;
  not_checked_ = kubernetes::check_manifests(compiled_->evaluation, catalogue_folder(), sources_,
                                             diagnostics_);
}

google::Definitions LoadedBlueprint::define() {
  google::Definitions definitions;
  refuse_machines();
  check_manifests();
  check_slices(compiled_.get(), sources_, diagnostics_);
  std::optional<cluster::Cluster> cluster;
  if (has_cluster()) cluster = build();
  if (compiled_ && diagnostics_.errors() == 0) {
    definitions = plan_on_google(cluster ? &*cluster : nullptr, google::Wanted::files);
  } else if (compiled_) {
    plan_in_spite_of_errors();
  }
  show();
  if (!compiled_ || diagnostics_.errors() > 0) throw InvalidBlueprint();
  return definitions;
}

google::Needs LoadedBlueprint::count_needs(const google::Definitions& definitions) {
  const auto folder = catalogue_folder();
  source::Diagnostics diagnostics(sources_);
  const cluster::Catalogue catalogue =
      cluster::load_catalogue(folder, sources_, diagnostics, cluster::Transports::left_out);
  const google::QuotaTable quotas = google::load_quotas(folder, sources_, diagnostics);
  if (diagnostics.errors() > 0) {
    commands::show(diagnostics);
    throw InvalidBlueprint();
  }
  return google::count_needs(definitions, catalogue, quotas);
}

google::CloudNeeds LoadedBlueprint::cloud_needs(const google::Definitions& definitions) {
  source::Diagnostics diagnostics(sources_);
  const google::ServiceTable services =
      google::load_services(catalogue_folder(), sources_, diagnostics);
  if (diagnostics.errors() > 0) {
    commands::show(diagnostics);
    throw InvalidBlueprint();
  }
  return google::cloud_needs(compiled_->evaluation, definitions, services);
}

void LoadedBlueprint::plan(Targets targets) {
  check_machines();
  if (targets.google) {
    refuse_machines();
    check_manifests();
    check_slices(compiled_.get(), sources_, diagnostics_);
  }
  std::optional<cluster::Cluster> cluster;
  if (has_cluster()) cluster = build();
  if (!compiled_) return;
  if (diagnostics_.errors() > 0) {
    if (targets.google) plan_in_spite_of_errors();
    return;
  }
  if (targets.local && cluster) plan_here(*cluster, !targets.google);
  if (targets.google) {
    plan_on_google(cluster ? &*cluster : nullptr,
                   targets.local ? google::Wanted::problems : google::Wanted::files);
  }
}

bool LoadedBlueprint::check(Targets targets) {
  try {
    plan(targets);
  } catch (const Error&) {
    show();
    throw;
  }
  show();
  return diagnostics_.errors() == 0;
}

std::string LoadedBlueprint::summary() const {
  return fmt::format(
      "{} in {}, {}, {}", counted(compiled_->deployment.module_ids().size(), "module"),
      counted(compiled_->deployment.groups.size(), "group"),
      counted(diagnostics_.errors(), "error"), counted(diagnostics_.warnings(), "warning"));
}

CheckedCluster load_cluster(const BlueprintInput& input) {
  return LoadedBlueprint(input, Purpose::cluster).cluster();
}

}  // namespace slipway::commands
