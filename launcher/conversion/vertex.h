// A job as a custom job of Vertex AI.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "launcher/conversion/pods.h"

namespace slipway::conversion {

// What the script does not say about Vertex.
struct VertexChoices {
  std::string network;      // projects/NUMBER/global/networks/NAME; needed for `shares`
  std::string reservation;  // projects/PROJECT/zones/ZONE/reservations/NAME; may be empty
  std::string strategy;     // one of VertexTable::strategies; may be empty
  // NFS shares by the folder that they are mounted at on Slurm: {"/home", "10.0.0.2:/share"}.
  std::map<std::string, std::string> shares;
};

// vertex.yaml of the catalogue.
struct VertexTable {
  std::map<std::string, std::string> accelerators;  // the API's names by GPU model
  int64_t most_variables = 0;
  std::vector<std::string> strategies;
  std::vector<std::string> training_clusters;  // their machine types: Slurm clusters of Vertex AI
  std::string nfs_folder, bucket_folder;
};

// Where Vertex has a folder of the job; empty if it has none.
std::string link_to(const Folder& folder, const VertexChoices& choices, const VertexTable& table);

// "data-sets" for a share that Slurm mounts at /data/sets.
std::string share_name(const std::string& mount);

// Problems with the file go to `diagnostics` (E0902).
VertexTable read_vertex(const std::filesystem::path& catalogue, source::Sources& sources,
                        source::Diagnostics& diagnostics);

// Reports what Vertex lacks for the job (E0602), after make_plan().
void check_vertex(const Plan& plan, const VertexChoices& choices, const VertexTable& table,
                  source::Diagnostics& diagnostics);

// The custom job as YAML, with a comment at each decision.
std::string vertex_job(const Plan& plan, const VertexChoices& choices, const VertexTable& table,
                       const PodTransport& transport, const std::vector<JobFile>& files);

// The same as JSON.
std::string vertex_json(const std::string& yaml);

// The program that writes the files of the job in a container, and starts the job. Vertex would
// replace $(NAME) for each of `variables` in it, which this prevents. A file `prepare` runs before
// the job, and `arguments` sets those of the script.
std::string unpacking_program(const std::vector<JobFile>& files,
                              const std::vector<JobVariable>& variables);

}  // namespace slipway::conversion
