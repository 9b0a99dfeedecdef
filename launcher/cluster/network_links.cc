// Finds the networks of a machine's interfaces in the cluster model.
#include "launcher/cluster/network_links.h"

#include <fmt/core.h>

#include <algorithm>

namespace slipway::cluster {
namespace {

std::string last_part(const std::string& link) {
  return link.substr(link.rfind('/') + 1);
}

// "projects/p/regions/r/subnetworks/s" of a self link, and "subnetworks/s" of a name. No module's
// id has a slash.
std::string id_of(const std::string& link) {
  const size_t project = link.find("projects/");
  return project == std::string::npos ? fmt::format("subnetworks/{}", last_part(link))
                                      : link.substr(project);
}

// One of the model with this id or, as a link may name what a module stands for, this name.
std::string find_or_add(const std::string& id, const std::string& name,
                        std::vector<Network>& networks) {
  const auto found = std::ranges::find_if(
      networks, [&](const Network& n) { return n.id == id || n.name == name; });
  if (found != networks.end()) return found->id;
  networks.push_back({id, name, "", 0});
  return id;
}

}  // namespace

std::vector<std::string> resolve(const std::vector<NetworkLink>& links,
                                 const NetworksByModule& made_by, std::vector<Network>& networks) {
  std::vector<std::string> ids;
  std::map<std::string, size_t> times;
  for (const NetworkLink& link : links) {
    if (link.module.empty()) {
      ids.push_back(find_or_add(id_of(link.outside), last_part(link.outside), networks));
      continue;
    }
    const auto made = made_by.find(link.module);
    const size_t nth = times[link.module]++;
    ids.push_back(made == made_by.end() ? find_or_add(link.module, link.module, networks)
                                        : made->second[std::min(nth, made->second.size() - 1)]);
  }
  return ids;
}

}  // namespace slipway::cluster
