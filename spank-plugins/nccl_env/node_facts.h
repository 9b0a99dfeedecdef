// Gathers facts about a node before the tasks start: cheaply, and with the user's rights.
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
    std::string place;  // PCI address or the kernel's index; sorts in the node's order
  };

  std::vector<std::string> missing_libraries;   // paths
  std::map<std::string, Interface> interfaces;  // those of the profile, by name
  std::vector<std::string> further_interfaces;  // hardware that is not in the profile
  bool daemon_answers = true;                   // also true without a daemon
  std::optional<uint64_t> memlock_bytes;        // empty: unlimited
  bool stack_is_unlimited = false;
  std::optional<uint64_t> dev_shm_bytes;
  std::string architecture;             // "x86_64"
  std::optional<TransportStock> stock;  // versions and digest, if recorded
};

// `environment` holds the job's propagated limits; `root` contains /sys, /dev and /run.
NodeFacts look_up(const NodeProfile& profile, const Environment& environment,
                  const std::filesystem::path& root = "/");

}  // namespace slipway::nccl_env
