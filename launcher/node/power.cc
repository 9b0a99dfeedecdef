// Slurm's ResumeProgram and SuspendProgram on Google Cloud.
#include "launcher/node/power.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "common/text.h"
#include "launcher/node/compute.h"

namespace slipway::node {
namespace {

using Names = std::vector<std::string>;

constexpr size_t most_at_once = 1000;  // limit of bulkInsert

// Groups nodes by nodeset; those without one go to `failed`.
std::map<std::string, Names> by_nodeset(const ClusterFile& cluster, const Names& nodes,
                                        std::vector<Failed>& failed) {
  std::map<std::string, Names> groups;
  Names unknown;
  for (const std::string& node : nodes) {
    const Nodes* nodeset = nodeset_of(cluster, node);
    if (nodeset == nullptr) {
      unknown.push_back(node);
    } else {
      groups[node.substr(0, node.rfind('-') + 1)].push_back(node);
    }
  }
  if (!unknown.empty()) failed.push_back({unknown, "its nodeset is not in cluster.json"});
  return groups;
}

// Finds the machines of nodes. Waits for machines that are stopping to end: only then is the name
// free.
class Machines {
 public:
  Machines(Cloud& cloud, const Nodes& nodeset, std::string prefix, const Patience& patience)
      : prefix_(std::move(prefix)), patience_(patience) {
    for (const std::string& zone : nodeset.zones) {
      zones_.emplace_back(cloud, nodeset.project, zone, patience);
    }
  }

  std::vector<Zone>& zones() { return zones_; }

  // Calls visit(zone, name, status) for each name that has a machine, and removes it from the
  // names.
  template <class Visit>
  void take(Names& names, Visit visit) {
    for (Zone& zone : zones_) {
      for (const auto& [name, status] : zone.machines(prefix_)) {
        const auto named = std::ranges::find(names, name);
        if (named == names.end()) continue;
        visit(zone, name, status);
        names.erase(named);
      }
    }
  }

  void wait_until_none_stops(const Names& names) {
    persist(patience_, "machines that are stopping", [&] {
      Names left = names;
      take(left, [](const Zone&, const std::string& name, const std::string& status) {
        if (status == "STOPPING" || status == "SUSPENDING") {
          throw NotYet(fmt::format("{} is {}", name, status));
        }
      });
    });
  }

 private:
  std::vector<Zone> zones_;
  std::string prefix_;
  const Patience& patience_;
};

void resume_nodeset(Cloud& cloud, const Nodes& nodeset, const std::string& prefix, Names nodes,
                    const Patience& patience, std::vector<Failed>& failed) {
  Machines machines(cloud, nodeset, prefix, patience);
  machines.wait_until_none_stops(nodes);
  machines.take(nodes, [&](Zone& zone, const std::string& name, const std::string& status) {
    if (status != "TERMINATED" && status != "STOPPED" && status != "SUSPENDED") return;
    const std::string wrong = zone.start(name);
    if (!wrong.empty()) failed.push_back({{name}, fmt::format("{}: {}", zone.name(), wrong)});
  });
  Names reasons;
  for (Zone& zone : machines.zones()) {
    for (size_t i = 0; i < nodes.size(); i += most_at_once) {
      const auto begin = nodes.begin() + static_cast<std::ptrdiff_t>(i);
      const auto end =
          begin + static_cast<std::ptrdiff_t>(std::min(most_at_once, nodes.size() - i));
      const std::string wrong = zone.make({begin, end}, nodeset.instance_template);
      if (wrong.empty()) continue;
      reasons.push_back(fmt::format("{}: {}", zone.name(), wrong));
      break;
    }
    machines.take(nodes, [](const Zone&, const std::string&, const std::string&) {});
    if (nodes.empty()) return;
  }
  failed.push_back({nodes, reasons.empty() ? "the cloud made no machine and gave no reason"
                                           : join(reasons, "; ")});
}

// A status that we do not know does not mean that the machine is off.
bool is_off(const std::string& status) {
  constexpr std::array off = {"STOPPING",  "STOPPED",        "TERMINATED", "SUSPENDING",
                              "SUSPENDED", "DEPROVISIONING", "REPAIRING"};
  return std::ranges::find(off, status) != off.end();
}

}  // namespace

std::vector<Failed> resume(Cloud& cloud, const ClusterFile& cluster, const Names& nodes,
                           const Patience& patience) {
  std::vector<Failed> failed;
  for (const auto& [prefix, names] : by_nodeset(cluster, nodes, failed)) {
    try {
      resume_nodeset(cloud, *nodeset_of(cluster, names.front()), prefix, names, patience, failed);
    } catch (const std::exception& error) {
      failed.push_back({names, error.what()});
    }
  }
  return failed;
}

std::vector<Failed> suspend(Cloud& cloud, const ClusterFile& cluster, const Names& nodes,
                            const Patience& patience) {
  std::vector<Failed> failed;
  for (const auto& [prefix, group] : by_nodeset(cluster, nodes, failed)) {
    Names names = group;
    try {
      Machines machines(cloud, *nodeset_of(cluster, names.front()), prefix, patience);
      machines.take(names, [&](Zone& zone, const std::string& name, const std::string&) {
        const std::string wrong = zone.remove(name);
        if (!wrong.empty()) failed.push_back({{name}, fmt::format("{}: {}", zone.name(), wrong)});
      });
    } catch (const std::exception& error) {
      failed.push_back({group, error.what()});
    }
  }
  return failed;
}

std::vector<std::string> machines_off(Cloud& cloud, const ClusterFile& cluster, const Names& nodes,
                                      const Patience& patience) {
  std::vector<Failed> unknown;
  Names off;
  for (const auto& [prefix, group] : by_nodeset(cluster, nodes, unknown)) {
    Names missing = group;
    Machines machines(cloud, *nodeset_of(cluster, group.front()), prefix, patience);
    machines.take(missing, [&](const Zone&, const std::string& name, const std::string& status) {
      if (is_off(status)) off.push_back(name);
    });
    off.insert(off.end(), missing.begin(), missing.end());
  }
  return off;
}

}  // namespace slipway::node
