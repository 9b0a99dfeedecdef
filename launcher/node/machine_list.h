// The machines that a cluster's nodes have in the cloud, found by their label.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "launcher/node/cloud.h"

namespace slipway::node {

// Labels of every machine of a nodeset.
inline constexpr const char* cluster_label = "slipway-cluster";
inline constexpr const char* nodeset_label = "slipway-nodeset";

// Maintenance of the host that the cloud has announced. Times are seconds since 1970.
struct HostMaintenance {
  int64_t start = 0, end = 0;
  bool ongoing = false;
  bool can_start = false;  // we may ask for it now
};

struct CloudMachine {
  std::string name, project, zone;
  std::string status;   // "RUNNING", "TERMINATED", … ("Instance lifecycle" in the documentation)
  std::string nodeset;  // Slurm name, from the label; empty: a controller or login machine
  int64_t created = 0;  // seconds since 1970; 0: not known
  bool is_spot = false;
  bool joins = false;                   // someone else started it, and it registers by itself
  std::vector<std::string> policies{};  // names of its placement policies
  std::optional<HostMaintenance> maintenance{};

  bool is_off() const;       // stopped, and it does not start by itself
  bool is_stopping() const;  // on the way there, or to being deleted
};

struct MachineList {
  std::vector<CloudMachine> machines;
  std::set<std::string> unknown_zones;  // zones that did not answer
};

// Adds a page of instances.aggregatedList. Throws Error if it is not one.
void add_page(const nlohmann::json& page, const std::string& project, MachineList& list);

// All machines of a cluster in a project: one request for each 500. Throws Error.
MachineList list_machines(Cloud& cloud, const std::string& project, const std::string& cluster,
                          const Patience& patience);

// Seconds since 1970 of "2026-11-23T10:00:00.123-08:00"; 0 if it is not a time.
int64_t seconds_of(const std::string& time);

// The last part of a link or a path: "us-central1-a".
std::string last_part(const std::string& link);

}  // namespace slipway::node
