// What every command that reads a blueprint takes from the command line, and how it is read.
//
//   BlueprintInput input;
//   CommandLine line("slipway deploy", "BLUEPRINT [options]", "Bring up the cluster.");
//   input.add_options(line);
//   if (!line.parse(args)) return 0;
//   const CheckedCluster checked = load_cluster(input);
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/command_line.h"
#include "common/error.h"
#include "launcher/blueprint/compile.h"
#include "launcher/cluster/catalogue.h"
#include "launcher/cluster/model.h"
#include "launcher/modules/library.h"
#include "launcher/source/diagnostics.h"

namespace slipway::google {
struct Definitions;
struct Needs;
}  // namespace slipway::google

namespace slipway::commands {

struct BlueprintInput {
  std::string blueprint;
  std::vector<std::string> deployment_files;
  std::vector<std::string> vars;             // NAME=VALUE, or several with commas between
  std::vector<std::string> backend_config;   // the same
  std::vector<std::string> skip_validators;  // names, or several with commas between
  std::string validation_level;              // ERROR, WARNING or IGNORE; empty: the blueprint's
  bool need_files = true;                    // those that ghpc_stage() names must be there
  std::string diagnostics = "text";          // or "json"

  // Adds BLUEPRINT, --deployment-file, --vars and --diagnostics.
  void add_options(CommandLine& line);
};

// The blueprint has errors, and they are on stderr.
class InvalidBlueprint : public ReportedError {
 public:
  InvalidBlueprint() : ReportedError("the blueprint has errors") {}
};

// A cluster and the catalogue that it was checked against.
struct CheckedCluster {
  cluster::Cluster cluster;
  cluster::Catalogue catalogue;
};

// What a command makes of a blueprint: it decides what is read beside it.
enum class Purpose {
  deployment,  // it is looked at
  check,       // check(): machine types, too
  cluster,     // cluster(): the whole catalogue
  definitions  // define(): the catalogue, and the bodies of resources
};

// A compiled blueprint with all that its parts point into.
class LoadedBlueprint {
 public:
  // Reads the files and compiles them. Diagnostics are collected, not shown. Throws Error when a
  // file cannot be read, UsageError when an option's value is none.
  LoadedBlueprint(const BlueprintInput& input, Purpose purpose);

  // The Deployment, and the cluster that it means. Both throw InvalidBlueprint after showing what
  // is wrong; warnings are shown, too.
  const blueprint::Deployment& deployment();
  // The same in spite of errors, of which nothing is shown but with --diagnostics json: for looking
  // at. Throws InvalidBlueprint, after showing what is wrong, when nothing can be looked at.
  const blueprint::Deployment& whatever_is_right();
  const source::Diagnostics& diagnostics() const { return diagnostics_; }
  // After define(): nothing is shown again.
  const blueprint::Deployment& compiled() const { return compiled_->deployment; }
  CheckedCluster cluster();
  // What a cluster on one machine does without: modules that mean nothing for it, and why; a line
  // for each kind of module.
  std::vector<std::string> left_out_here() const;

  // The definitions for Google Cloud. Throws InvalidBlueprint in the same way.
  google::Definitions define();

  // What those need of the cloud's quotas. Throws InvalidBlueprint when the catalogue is wrong.
  google::Needs count_needs(const google::Definitions& definitions);

  // Everything that can be checked: the deployment, and the cluster if the blueprint has one.
  // False when there are errors. Shows them, and the warnings.
  bool check();

  // "6 modules in 1 group, 0 errors, 0 warnings": for the user, after check().
  std::string summary() const;

 private:
  // Each NAME=VALUE of the lists as a text of its own. Throws UsageError.
  std::vector<source::Span> add_assignments(const std::string& option,
                                            const std::vector<std::string>& lists);
  cluster::Catalogue take_catalogue();
  std::optional<CheckedCluster> build();
  void show() const;

  source::Sources sources_;
  source::Diagnostics diagnostics_{sources_};
  bool as_json_ = false;
  modules::Library library_;
  std::unique_ptr<blueprint::Compiled> compiled_;  // null: the blueprint cannot be read
  const cluster::Transports transports_;
  std::future<std::optional<cluster::Catalogue>> catalogue_;  // read meanwhile; none: it is wrong
};

// The cluster that the blueprint means. Diagnostics go to stderr. Throws InvalidBlueprint when
// there are errors, Error when a file cannot be read.
CheckedCluster load_cluster(const BlueprintInput& input);

}  // namespace slipway::commands
