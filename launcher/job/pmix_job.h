// Describes an attempt to libpmix, so that MPI ranks find their place in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "launcher/job/rendezvous.h"

namespace slipway::job {

class PmixLibrary;

struct PmixJob {
  std::string name;                // the namespace: a new one for each attempt
  std::vector<std::string> nodes;  // in the order of their ranks
  int64_t node = 0;                // this node
  int64_t tasks_per_node = 1;
  std::filesystem::path folder;  // for the ranks' files
  int64_t size() const { return static_cast<int64_t>(nodes.size()) * tasks_per_node; }
  int64_t first_rank() const { return node * tasks_per_node; }
};

// The ranks of each node: "0,1;2,3".
std::string ranks_of_nodes(const PmixJob& job);

// These throw Error.
void register_job(const PmixLibrary& pmix, const PmixJob& job);
std::vector<Variables> variables_of_ranks(const PmixLibrary& pmix, const PmixJob& job);

}  // namespace slipway::job
