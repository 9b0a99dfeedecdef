// What libpmix is told of an attempt, so that Open MPI finds its place in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "launcher/job/rendezvous.h"

namespace slipway::job {

class PmixLibrary;

struct PmixJob {
  std::string name;                // the namespace: another one for every attempt
  std::vector<std::string> nodes;  // in the order of their ranks
  int64_t node = 0;                // ours
  int64_t tasks_per_node = 1;
  std::filesystem::path folder;  // for what ranks leave in files
  int64_t size() const { return static_cast<int64_t>(nodes.size()) * tasks_per_node; }
  int64_t first_rank() const { return node * tasks_per_node; }
};

// "0,1;2,3": which ranks are on which node.
std::string ranks_of_nodes(const PmixJob& job);

// Throw Error.
void register_job(const PmixLibrary& pmix, const PmixJob& job);
std::vector<Variables> variables_of_ranks(const PmixLibrary& pmix, const PmixJob& job);

}  // namespace slipway::job
