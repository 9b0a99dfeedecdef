// Deletes machines of one nodeset, with what was made for them: placement policies of jobs, and
// groups of flex-start machines.
#include "launcher/node/suspend_nodeset.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "common/text.h"
#include "launcher/node/delete_machines.h"
#include "launcher/node/making.h"
#include "launcher/node/placement.h"

namespace slipway::node {
namespace {

using nlohmann::json;
using Names = std::vector<std::string>;

// A group of flex-start machines.
struct FlexGroup {
  std::string place, name;
  std::map<std::string, std::string> links;  // of its machines, by name

  std::string path() const { return place + "/instanceGroupManagers/" + name; }
};

bool buys_flex(const Nodes& nodeset) {
  return std::ranges::any_of(nodeset.buy, [](const Way& way) { return way.model == "FLEX_START"; });
}

FlexGroup flex_group(Compute& compute, const std::string& place, const std::string& name) {
  FlexGroup group{place, name, {}};
  const json answer = compute.post(group.path() + "/listManagedInstances?maxResults=500", nullptr);
  const auto instances = answer.find("managedInstances");
  if (instances == answer.end() || !instances->is_array()) return group;
  for (const json& one : *instances) {
    const std::string link = text_of(one, "instance");
    if (!link.empty()) group.links[name_in(link)] = link;
  }
  return group;
}

std::vector<FlexGroup> flex_groups(Compute& compute, const Nodes& nodeset,
                                   const std::string& prefix) {
  Names places;
  for (const std::string& zone : nodeset.zones) places.push_back("zones/" + zone);
  if (places.size() > 1) places.push_back("regions/" + region_of(nodeset.zones.front()));
  const std::string query =
      "filter=" + url_encode(fmt::format("name eq \"{}.*\"", flex_prefix(prefix)));
  std::vector<FlexGroup> groups;
  for (const std::string& place : places) {
    for (const json& one : compute.list(place + "/instanceGroupManagers", query)) {
      const std::string name = text_of(one, "name");
      if (name.empty()) continue;
      groups.push_back(flex_group(compute, place, name));
    }
  }
  return groups;
}

// Deletes machines of groups through their groups, which would make them again otherwise, and a
// group with its last machine. Takes the names from `nodes`.
void delete_from_groups(Compute& compute, const Nodes& nodeset, const std::string& prefix,
                        Names& nodes, std::vector<Failed>& failed) {
  for (const FlexGroup& group : flex_groups(compute, nodeset, prefix)) {
    json links = json::array();
    Names names;
    for (const std::string& node : nodes) {
      const auto link = group.links.find(node);
      if (link == group.links.end()) continue;
      links.push_back(link->second);
      names.push_back(node);
    }
    if (names.empty()) continue;
    try {
      if (names.size() == group.links.size()) {
        delete_flex_group(compute, group.place, group.name);
      } else {
        compute.post(group.path() + "/deleteInstances",
                     {{"instances", links}, {"skipInstancesOnValidationError", true}});
      }
    } catch (const Refused& error) {
      if (error.status != 404) failed.push_back({names, error.what()});
    }
    std::erase_if(nodes, [&](const std::string& node) { return group.links.contains(node); });
  }
}

// The policies of jobs among those of machines that are deleted. Static nodes come back, and need
// theirs again.
std::set<std::string> job_policies(const MachinesByName& machines, const Names& nodes,
                                   const std::string& prefix) {
  std::set<std::string> policies;
  for (const std::string& node : nodes) {
    const auto machine = machines.find(node);
    if (machine == machines.end()) continue;
    for (const std::string& policy : machine->second.policies) {
      if (policy.starts_with(prefix) && !policy.starts_with(prefix + "static-")) {
        policies.insert(policy);
      }
    }
  }
  return policies;
}

// A policy can be deleted once its machines are gone. The reconciler deletes
// policies that remain when time is up.
void delete_unused_policies(Compute& compute, const Nodes& nodeset,
                            const std::set<std::string>& policies) {
  Names left(policies.begin(), policies.end());
  if (left.empty()) return;
  try {
    persist(compute.patience(), "placement policies that machines still use", [&] {
      left = delete_policies(compute, region_of(nodeset.zones.front()), std::move(left));
      if (!left.empty()) throw NotYet(join(left, ","));
    });
  } catch (const Error& error) {
    if (compute.patience().say) {
      compute.patience().say(fmt::format("left to the reconciler: {}", error.what()));
    }
  }
}

}  // namespace

void suspend_nodeset(Cloud& cloud, const Nodes& nodeset, const std::string& prefix,
                     const Names& nodes, const Patience& patience, std::vector<Failed>& failed) {
  Compute compute(cloud, nodeset.project, patience);
  Names names = nodes;
  const MachinesByName machines = list_machines_named(compute, nodeset.zones, prefix);
  if (buys_flex(nodeset)) delete_from_groups(compute, nodeset, prefix, names, failed);
  std::map<std::string, std::string> zones;
  for (const std::string& name : names) {
    const auto machine = machines.find(name);
    if (machine != machines.end()) zones[name] = machine->second.zone;
  }
  for (const auto& [name, reason] : delete_machines(compute, zones)) {
    failed.push_back({{name}, fmt::format("{}: {}", zones[name], reason)});
  }
  delete_unused_policies(compute, nodeset, job_policies(machines, nodes, prefix));
}

}  // namespace slipway::node
