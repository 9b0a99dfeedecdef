// `slipway node cleanup`: deletes the machines that a cluster's Slurm started.
#include "launcher/commands/node_cleanup.h"

#include <fmt/core.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/command_line.h"
#include "common/error.h"
#include "common/file.h"
#include "launcher/apply/slurm_clusters.h"
#include "launcher/commands/made_machines.h"

namespace slipway::commands {
namespace {

namespace fs = std::filesystem;

// The clusters that the definitions of all groups describe. Throws Error.
std::map<std::string, apply::SlurmCluster> clusters_below(const fs::path& folder) {
  std::map<std::string, apply::SlurmCluster> clusters;
  std::map<std::string, nlohmann::ordered_json> documents;
  for (const auto& group : fs::directory_iterator(folder)) {
    if (!group.is_directory()) continue;
    for (const auto& entry : fs::directory_iterator(group)) {
      const std::string name = entry.path().filename();
      if (!name.ends_with(".tf.json") || !entry.is_regular_file()) continue;
      documents[entry.path()] = nlohmann::ordered_json::parse(read_file(entry.path()));
    }
  }
  apply::add_slurm_clusters(documents, clusters);
  return clusters;
}

}  // namespace

int node_cleanup(Args args) {
  std::string folder;
  CommandLine line("slipway node cleanup",
                   "Delete the machines that the Slurm of a deployment's cluster started.");
  line.about(
      "Terraform runs it when it destroys a cluster, after the controller is gone: it does not "
      "know these machines. `slipway destroy` deletes them itself. FOLDER was written by `slipway "
      "create`. The controller is deleted, too, as it would start more.");
  line.positional("FOLDER", &folder);
  line.example("slipway node cleanup ./cluster",
               "after the last `terraform destroy` failed halfway");
  line.example("slipway node cleanup ..", "in the folder of a group, as Terraform runs it");
  line.environment("GOOGLE_OAUTH_ACCESS_TOKEN", "access token; otherwise gcloud makes one");
  line.see_also("slipway-destroy(1)");
  if (!line.parse(args)) return 0;
  try {
    const apply::MadeMachines made = machines_made_by_slurm();
    for (const auto& [name, cluster] : clusters_below(folder)) {
      if (cluster.keeps_machines) continue;
      made.remove(cluster, [](const std::string& what) { fmt::print(stderr, "{}\n", what); });
    }
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("cannot read the definitions in {}: {}", folder, error.what()));
  } catch (const fs::filesystem_error& error) {
    throw Error(fmt::format("cannot read {}: {}", folder, error.code().message()));
  }
  return 0;
}

}  // namespace slipway::commands
