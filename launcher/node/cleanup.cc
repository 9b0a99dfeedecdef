// Deletes what a cluster's controller made in the cloud.
#include "launcher/node/cleanup.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "common/count.h"
#include "common/error.h"
#include "common/text.h"
#include "launcher/node/delete_machines.h"
#include "launcher/node/flex_groups.h"
#include "launcher/node/reconcile.h"

namespace slipway::node {
namespace {

using nlohmann::json;

constexpr const char* compute_service = "https://compute.googleapis.com/compute/v1/projects";

std::string instance_url(const std::string& project, const std::string& zone,
                         const std::string& name) {
  return fmt::format("{}/{}/zones/{}/instances/{}", compute_service, project, zone,
                     url_encode(name));
}

// Requests all of them, and then throws Error if the cloud refused one.
void request_deletes(Cloud& cloud, const std::vector<std::string>& urls, const Patience& patience) {
  const auto failed = delete_all(cloud, urls, patience);
  if (failed.empty()) return;
  std::set<std::string> reasons;
  for (const auto& [url, reason] : failed) reasons.insert(reason);
  throw Error(join(std::vector<std::string>(reasons.begin(), reasons.end()), "; "));
}

bool exists(Cloud& cloud, const std::string& url, const Patience& patience) {
  return persist(patience, "an answer from Compute Engine", [&] {
    try {
      cloud.call("GET", url + "?fields=status");
      return true;
    } catch (const Refused& error) {
      if (error.status != 404) throw;
      return false;
    }
  });
}

void remove_controllers(Cloud& cloud, const std::vector<ControllerMachine>& controllers,
                        const Patience& patience,
                        const std::function<void(const std::string&)>& say) {
  for (const ControllerMachine& one : controllers) {
    const std::string url = instance_url(one.project, one.zone, one.name);
    if (!exists(cloud, url, patience)) continue;
    say(fmt::format("deleting {}, so that it makes no more machines", one.name));
    request_deletes(cloud, {url}, patience);
    persist(patience, "the end of " + one.name, [&] {
      if (exists(cloud, url, patience)) throw NotYet("it still exists");
    });
  }
}

// Before the machines: a group that waits for capacity would make more.
void remove_flex_groups(Cloud& cloud, const ClusterPlaces& places, const Patience& patience,
                        const std::function<void(const std::string&)>& say) {
  for (const std::string& project : places.projects) {
    Compute compute(cloud, project, patience);
    const std::vector<MadeGroup> groups = list_flex_groups(compute, places.cluster);
    if (!groups.empty()) {
      say(fmt::format("deleting {} of flex-start machines", counted(groups.size(), "group")));
    }
    delete_flex_groups(compute, places.cluster, groups);
  }
}

// Requests every machine that is not stopping already, until the list is empty.
void remove_machines(Cloud& cloud, const ClusterPlaces& places, const Patience& patience,
                     const std::function<void(const std::string&)>& say) {
  std::set<std::string> said;
  persist(patience, "the end of the cluster's machines", [&] {
    const std::vector<CloudMachine> machines = made_machines(cloud, places, patience);
    std::vector<std::string> names, urls;
    for (const CloudMachine& machine : machines) {
      names.push_back(machine.name);
      if (machine.is_stopping()) continue;
      urls.push_back(instance_url(machine.project, machine.zone, machine.name));
    }
    if (names.empty()) return;
    request_deletes(cloud, urls, patience);
    if (said.empty()) {
      say(fmt::format("deleting {} that Slurm started", counted(names.size(), "machine")));
    }
    said.insert(names.begin(), names.end());
    throw NotYet(fmt::format("{} left: {}",
                             names.size() == 1 ? "1 is" : fmt::format("{} are", names.size()),
                             join(names, ", ")));
  });
}

std::vector<std::string> placement_policies(Cloud& cloud, const std::string& cluster,
                                            const std::string& url, const Patience& patience) {
  std::vector<std::string> names;
  const std::string filter = url_encode(fmt::format("name eq \"{}-.*\"", cluster));
  std::string page;
  do {
    const json answer = persist(patience, "the list of placement policies", [&] {
      return cloud.call("GET", fmt::format("{}?maxResults=500&filter={}{}", url, filter,
                                           page.empty() ? "" : "&pageToken=" + url_encode(page)));
    });
    for (const json& policy : answer.value("items", json::array())) {
      const std::string name = policy.value("name", "");
      const bool is_placement = policy.contains("groupPlacementPolicy");
      if (is_placement && is_own_policy(cluster, name)) names.push_back(name);
    }
    page = answer.value("nextPageToken", "");
  } while (!page.empty());
  return names;
}

void remove_policies(Cloud& cloud, const ClusterPlaces& places, const Patience& patience,
                     const std::function<void(const std::string&)>& say) {
  for (const std::string& project : places.projects) {
    for (const std::string& region : places.regions) {
      const std::string url =
          fmt::format("{}/{}/regions/{}/resourcePolicies", compute_service, project, region);
      const auto names = placement_policies(cloud, places.cluster, url, patience);
      std::vector<std::string> urls;
      for (const std::string& name : names) urls.push_back(url + "/" + url_encode(name));
      request_deletes(cloud, urls, patience);
      if (!names.empty()) say(fmt::format("deleted placement policies: {}", join(names, ", ")));
    }
  }
}

}  // namespace

std::vector<CloudMachine> made_machines(Cloud& cloud, const ClusterPlaces& places,
                                        const Patience& patience) {
  std::vector<CloudMachine> made;
  for (const std::string& project : places.projects) {
    MachineList list = list_machines(cloud, project, places.cluster, patience);
    if (!list.unknown_zones.empty()) {
      throw Error(fmt::format("{} does not answer, so there may be machines in it",
                              *list.unknown_zones.begin()));
    }
    std::ranges::copy_if(list.machines, std::back_inserter(made), [&](const CloudMachine& one) {
      return is_own_machine(places.cluster, one);
    });
  }
  return made;
}

void remove_made(Cloud& cloud, const ClusterPlaces& places,
                 const std::vector<ControllerMachine>& controllers, const Patience& patience,
                 const std::function<void(const std::string&)>& say) {
  remove_controllers(cloud, controllers, patience, say);
  remove_flex_groups(cloud, places, patience, say);
  remove_machines(cloud, places, patience, say);
  remove_policies(cloud, places, patience, say);
}

}  // namespace slipway::node
