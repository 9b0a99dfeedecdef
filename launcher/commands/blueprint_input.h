// The options of every command that reads a blueprint, and the loaded blueprint.
//
//   BlueprintInput input;
//   CommandLine line("slipway deploy", "Bring up the cluster.");
//   input.add_options(line);
//   if (!line.parse(args)) return 0;
//   const CheckedCluster checked = load_cluster(input);
#pragma once

#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/command_line.h"
#include "common/error.h"
#include "launcher/blueprint/compile.h"
#include "launcher/blueprint/known_modules.h"
#include "launcher/cluster/catalogue.h"
#include "launcher/cluster/model.h"
#include "launcher/cluster/tpu_nodesets.h"
#include "launcher/cluster/zones.h"
#include "launcher/conversion/queues.h"
#include "launcher/modules/library.h"
#include "launcher/source/diagnostics.h"

namespace slipway::google {
struct Definitions;
struct CloudNeeds;
struct Needs;
enum class Wanted;
}  // namespace slipway::google

namespace slipway::commands {

// The catalogue of this installation. Throws Error if the program is not installed.
std::filesystem::path catalogue_folder();

struct BlueprintInput {
  std::string blueprint;
  std::optional<std::string> text;  // what the blueprint contains; absent: read the file
  std::vector<std::string> deployment_files;
  std::vector<std::string> vars;             // NAME=VALUE, or several with commas
  std::vector<std::string> backend_config;   // the same
  std::vector<std::string> skip_validators;  // names, or several with commas between
  std::string validation_level;              // ERROR, WARNING or IGNORE; empty: the blueprint's
  bool need_files = true;                    // fail if a file that ghpc_stage() names is missing
  std::string diagnostics = "text";          // or "json"
  bool shows_diagnostics = true;             // false: the command prints them itself
  // What a language server knows from its checks of blueprints before; or null.
  std::shared_ptr<blueprint::KnownModules> known;

  // Adds the positional BLUEPRINT, by this name, and the options of every command that reads one.
  void add_options(CommandLine& line, const std::string& name = "BLUEPRINT",
                   Arity arity = Arity::required);
};

// The blueprint has errors, which were printed on stderr.
class InvalidBlueprint : public ReportedError {
 public:
  InvalidBlueprint() : ReportedError("the blueprint has errors") {}
};

// A cluster and the catalogue that it was checked against.
struct CheckedCluster {
  cluster::Cluster cluster;
  cluster::Catalogue catalogue;
};

// What a command needs from a blueprint: it decides what else is read.
enum class Purpose {
  deployment,  // deployment()
  cluster,     // cluster(): the catalogue
  definitions  // define() and check(): the catalogue, and the bodies of resources
};

// Where check() supposes that the blueprint will be deployed.
struct Targets {
  bool local = true;
  bool google = true;
};

// A compiled blueprint and everything that it points into.
class LoadedBlueprint {
 public:
  // Reads the files and compiles them. Diagnostics are collected, not shown. Throws Error when a
  // file cannot be read, UsageError when an option has a bad value.
  LoadedBlueprint(const BlueprintInput& input, Purpose purpose);

  // The Deployment, and the cluster that it describes. Both show all diagnostics, and throw
  // InvalidBlueprint if there are errors.
  const blueprint::Deployment& deployment();
  // The Deployment in spite of errors, which are shown with --diagnostics json only. Throws
  // InvalidBlueprint, after showing the errors, when there is nothing to show.
  const blueprint::Deployment& deployment_with_errors();
  const source::Diagnostics& diagnostics() const { return diagnostics_; }
  // For use after define(): shows no diagnostics again.
  const blueprint::Deployment& compiled() const { return compiled_->deployment; }
  CheckedCluster cluster();
  // Whether the blueprint names machines that exist already, and these. machines() throws Error if
  // it does not.
  bool has_machines() const { return compiled_ && compiled_->deployment.machines; }
  const blueprint::Machines& machines() const;
  // The nodesets of TPUs, which the model of a cluster does not have. Shows all
  // diagnostics if there are any such nodesets, and throws InvalidBlueprint if one is an error.
  std::vector<cluster::TpuNodeset> tpu_nodesets();
  // The same as queues of Kueue; nothing if there are none. Throws in the same way.
  std::optional<conversion::Queues> tpu_queues(const conversion::KueueTable& table);
  // The modules that a local cluster ignores, and why: a line for each kind of module.
  std::vector<std::string> left_out_here() const;
  // The manifests of Kubernetes objects that could not be checked, a line for each, after check().
  const std::vector<std::string>& not_checked() const { return not_checked_; }

  // The definitions for Google Cloud. Throws InvalidBlueprint in the same way.
  google::Definitions define();

  // What those need from the cloud's quotas. Throws InvalidBlueprint when the catalogue is wrong.
  google::Needs count_needs(const google::Definitions& definitions);

  // What else they need from its projects. Throws in the same way.
  google::CloudNeeds cloud_needs(const google::Definitions& definitions);

  // Plans what a deploy to the targets would plan, so that no later command finds more. What only
  // one of two targets refuses is a warning. Shows all diagnostics. False when there are errors.
  bool check(Targets targets);

  // Waits for what is read in the background, for a blueprint that is never deleted.
  void finish_reading() const {
    if (early_data_.valid()) early_data_.wait();
  }

  // "6 modules in 1 group, 0 errors, 0 warnings": for the user, after check().
  std::string summary() const;

 private:
  // Splits the lists and adds each NAME=VALUE as a text. Throws UsageError.
  std::vector<source::Span> add_assignments(const std::string& option,
                                            const std::vector<std::string>& lists);
  // What the catalogue's files say.
  struct SiteData {
    cluster::Catalogue catalogue;
    cluster::Zones zones;  // for definitions only
  };
  using SharedSiteData = std::shared_ptr<const SiteData>;
  static SharedSiteData read_site_data(Purpose purpose, source::Sources& sources,
                                       source::Diagnostics& diagnostics);
  static SharedSiteData right_site_data(Purpose purpose);
  const SiteData& site_data();

  bool has_cluster() const;
  void check_manifests();
  void refuse_machines();
  void check_machines();
  std::optional<cluster::Cluster> build();
  void plan(Targets targets);
  google::Definitions plan_on_google(const cluster::Cluster* cluster, google::Wanted wanted);
  // Finds what else the cloud would refuse, in modules without an error: elsewhere it may follow
  // from the errors.
  void plan_in_spite_of_errors();
  void plan_here(const cluster::Cluster& cluster, bool is_only_target);
  void show() const;

  source::Sources sources_;
  source::Diagnostics diagnostics_{sources_};
  bool as_json_ = false, shows_ = true;
  modules::Library library_;
  std::vector<std::string> not_checked_;
  std::unique_ptr<blueprint::Compiled> compiled_;  // null if the blueprint cannot be read
  const Purpose purpose_;
  std::future<SharedSiteData> early_data_;  // read in the background; null if it is wrong
  SharedSiteData data_;
};

// The cluster that the blueprint describes. Diagnostics go to stderr. Throws InvalidBlueprint when
// there are errors, Error when a file cannot be read.
CheckedCluster load_cluster(const BlueprintInput& input);

}  // namespace slipway::commands
