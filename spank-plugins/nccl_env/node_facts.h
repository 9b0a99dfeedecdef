// What is looked up on a node before the tasks start: cheap, and with the user's rights.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/node_profile.h"
#include "common/transport_stock.h"
#include "spank-plugins/nccl_env/marker.h"

namespace slipway::nccl_env {

struct NodeFacts {
  struct Interface {
    bool exists = false;
    bool up = false;
    std::string place;  // PCI address, or else the kernel's number: sorts as the node counts them
  };

  std::vector<std::string> missing_libraries;   // paths
  std::map<std::string, Interface> interfaces;  // those of the profile, by name
  std::vector<std::string> further_interfaces;  // hardware that the profile does not have
  bool daemon_answers = true;                   // true where there is nothing to ask
  std::optional<uint64_t> memlock_bytes;        // nothing: unlimited
  bool stack_is_unlimited = false;
  std::optional<uint64_t> dev_shm_bytes;
  std::string architecture;             // "x86_64"
  std::optional<TransportStock> stock;  // versions and digest, where they were taken
};

// `environment` says which limits the job has; `root` is where /sys, /dev and /run are.
NodeFacts look_up(const NodeProfile& profile, const Environment& environment,
                  const std::filesystem::path& root = "/");

}  // namespace slipway::nccl_env
