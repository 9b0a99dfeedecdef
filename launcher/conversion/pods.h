// What the pods of a job need for its network, and the files that make a pod look like a Slurm
// node.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "launcher/conversion/plan.h"

namespace slipway::conversion {

// The network of the transport, with the names that its interfaces have in pods.
struct PodTransport {
  std::string name;  // "socket"; empty: the job needs none
  const cluster::TransportType* row = nullptr;
  const cluster::PodNetwork* pods = nullptr;  // or replicas; nullptr: only the host's network
  std::vector<NodeTransport::Variable> environment;
  std::string profile;  // the vendor's script in the pod; may be empty
  std::string folder;   // of the libraries; may be empty
};

PodTransport transport_of(const Plan& plan);

// What the format's pods or replicas have of a transport.
const cluster::PodNetwork& network_of(const cluster::TransportType& transport, Format format);

// A variable of the container with the job's tasks, and comments on it and those after it.
struct JobVariable {
  std::string name, value;
  std::vector<std::string> comments;
};

// What Slurm tells a job: what all pods have in common.
std::vector<JobVariable> slurm_variables(const Plan& plan);

// The paths at which the script expects `slipway`, for `slipway launch`.
std::set<std::string> paths_of_launcher(const Plan& plan);

// What NCCL needs to know.
std::vector<JobVariable> network_variables(const PodTransport& transport);

// A file of the ConfigMap, by its name.
struct JobFile {
  std::string name, text;
};

// The job's script, and the programs that its commands find: srun, scontrol and their like.
// `blueprints` is the folder of the library. Throws Error if a file is missing.
std::vector<JobFile> job_files(const Plan& plan, const std::string& script,
                               const std::filesystem::path& blueprints);

}  // namespace slipway::conversion
