// What the pods of a job need for its network, and the files that make a pod look like a Slurm
// node.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "launcher/conversion/plan.h"

namespace slipway::conversion {

// The network of the transport, with the names that its interfaces have in pods.
struct PodTransport {
  std::string name;  // "socket"; empty: the job needs none
  const cluster::TransportType* row = nullptr;
  const cluster::PodNetwork* pods = nullptr;  // nullptr: only the host's network
  std::vector<NodeTransport::Variable> environment;
  std::string profile;  // the vendor's script in the pod; may be empty
  std::string folder;   // of the libraries; may be empty
};

PodTransport transport_of(const Plan& plan);

// A file of the ConfigMap, by its name.
struct JobFile {
  std::string name, text;
};

// The job's script, and the programs that its commands find: srun, scontrol and their like.
// `blueprints` is the folder of the library. Throws Error if a file is missing.
std::vector<JobFile> job_files(const Plan& plan, const std::string& script,
                               const std::filesystem::path& blueprints);

}  // namespace slipway::conversion
