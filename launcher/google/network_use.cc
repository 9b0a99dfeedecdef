// Checks zones of RDMA networks (https://docs.cloud.google.com/vpc/docs/rdma-network-profiles), and
// ranges of GKE clusters (https://docs.cloud.google.com/kubernetes-engine/docs/concepts/alias-ips).
#include "launcher/google/network_use.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "common/text.h"
#include "launcher/cluster/model_part.h"
#include "launcher/google/setting_place.h"

namespace slipway::google {
namespace {

using blueprint::Module;
using expression::Value;
using source::Code;

// ZONE of projects/PROJECT/global/networkProfiles/ZONE-vpc-roce; empty without a zone.
std::string zone_of_profile(const std::string& profile) {
  const std::string name = profile.substr(profile.rfind('/') + 1);
  const size_t end = name.find("-vpc-");
  const bool has_zone = end != name.npos && end > 0 && std::isdigit(name[end - 1]) == 0;
  return has_zone ? name.substr(0, end) : std::string();
}

// Modules of which a value has outputs.
void add_sources(const Value& value, std::set<std::string>& modules) {
  if (const auto* unknown = value.as<expression::Unknown>()) {
    modules.insert(unknown->module);
  } else if (const auto* list = value.as<Value::List>()) {
    for (const Value& item : *list) add_sources(item, modules);
  } else if (const auto* object = value.as<Value::Object>()) {
    for (const auto& [key, member] : *object) add_sources(member, modules);
  }
}

void add_texts(const Value& value, std::set<std::string>& texts) {
  if (const auto* text = value.as<std::string>(); text && !text->empty()) texts.insert(*text);
  const auto* list = value.as<Value::List>();
  if (list == nullptr) return;
  for (const Value& item : *list) add_texts(item, texts);
}

class NetworkUse {
 public:
  NetworkUse(const blueprint::Deployment& deployment, blueprint::Evaluation& evaluation,
             source::Diagnostics& diagnostics)
      : deployment_(deployment), evaluation_(evaluation), diagnostics_(diagnostics) {}

  void check(const Module& module) {
    if (has(module, "machine_type") && has(module, "additional_networks")) check_zones(module);
    for (const char* input : {"pods_ip_range_name", "services_ip_range_name"}) {
      if (has(module, input) && has(module, "subnetwork_self_link")) check_range(module, input);
    }
  }

 private:
  static bool has(const Module& module, const std::string& input) {
    return module.interface->input(input) != nullptr;
  }

  const Value& input(const Module& module, const std::string& name) {
    static const Value none;
    return has(module, name) ? evaluation_.input(module, name) : none;
  }

  // All machines in an RDMA network are in the zone of its profile.
  void check_zones(const Module& module) {
    std::set<std::string> networks, zones;
    add_sources(input(module, "additional_networks"), networks);
    add_texts(input(module, "zones"), zones);
    if (zones.empty()) add_texts(input(module, "zone"), zones);
    for (const std::string& id : networks) {
      const Module* network = deployment_.find(id).module;
      if (network == nullptr) continue;
      const auto* profile = input(*network, "network_profile").as<std::string>();
      const std::string its = profile == nullptr ? std::string() : zone_of_profile(*profile);
      if (its.empty()) continue;
      const auto other = std::ranges::find_if(zones, [&](const auto& zone) { return zone != its; });
      if (other == zones.end()) continue;
      diagnostics_
          .error(Code::rule_broken, cluster::place_of(*network, "network_profile"),
                 fmt::format("machines of module `{}` are in `{}`, but this network is for "
                             "machines in `{}` only",
                             module.id, *other, its))
          .help("use the profile of the machines' zone, or machines in the profile's zone");
      return;
    }
  }

  // The addresses of pods and services come from secondary ranges of the cluster's subnetwork.
  void check_range(const Module& cluster, const char* setting) {
    const Module* network = deployment_.source_of(input(cluster, "subnetwork_self_link"));
    const auto* name = input(cluster, setting).as<std::string>();
    if (network == nullptr || name == nullptr || name->empty()) return;
    if (!has(*network, "secondary_ranges") || !has(*network, "secondary_ranges_list")) return;
    const Value& mapping = input(*network, "secondary_ranges");
    const Value& list = input(*network, "secondary_ranges_list");
    if (!mapping.is_known() || !list.is_known()) return;
    std::set<std::string> found;
    add_range_names(mapping, found);
    add_range_names(list, found);
    if (found.contains(*name)) return;
    const std::vector<std::string> names(found.begin(), found.end());
    const source::Span place =
        cluster.settings.contains(setting) ? cluster.settings.at(setting).place() : cluster.id_span;
    const std::string message =
        fmt::format("the network `{}` has no secondary range `{}`, which the cluster `{}` needs",
                    network->id, *name, cluster.id);
    // Ranges may be added to a network outside the blueprint; one warning is enough then.
    if (names.empty() && !without_ranges_.insert(&cluster).second) return;
    (names.empty() ? diagnostics_.warning(Code::rule_broken, place, message)
                   : diagnostics_.error(Code::rule_broken, place, message))
        .other(
            names.empty() ? network->id_span : cluster::place_of(*network, "secondary_ranges_list"),
            names.empty() ? "it has none" : "it has " + slipway::join(names, ", "))
        .help(fmt::format("add one to `secondary_ranges_list`, or set `{}`", setting));
  }

  static void add_range_names(const Value& value, std::set<std::string>& names) {
    if (const auto* list = value.as<Value::List>()) {
      for (const Value& item : *list) add_range_names(item, names);
    } else if (const auto* object = value.as<Value::Object>()) {
      for (const auto& [key, member] : *object) {
        if (key == "range_name") add_texts(member, names);
        if (!member.as<std::string>()) add_range_names(member, names);
      }
    }
  }

  std::set<const Module*> without_ranges_;  // clusters that have this warning
  const blueprint::Deployment& deployment_;
  blueprint::Evaluation& evaluation_;
  source::Diagnostics& diagnostics_;
};

}  // namespace

void check_network_use(const blueprint::Deployment& deployment, blueprint::Evaluation& evaluation,
                       source::Diagnostics& diagnostics) {
  NetworkUse check(deployment, evaluation, diagnostics);
  for (const blueprint::Group& group : deployment.groups) {
    for (const Module& module : group.modules) check.check(module);
  }
}

}  // namespace slipway::google
