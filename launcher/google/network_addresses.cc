// Checks addresses, regions and interfaces of machines and clusters in networks of the blueprint.
// Sources:
// https://docs.cloud.google.com/compute/docs/ip-addresses/configure-static-internal-ip-address (an
// address is one of the subnetwork's), https://docs.cloud.google.com/vpc/docs/subnets (a subnetwork
// has one region), https://docs.cloud.google.com/vpc/docs/multiple-interfaces-concepts (each
// interface has its own network, except in those for RDMA), and
// https://docs.cloud.google.com/kubernetes-engine/docs/how-to/legacy/network-isolation (the range
// of a control plane does not overlap with a range of its network).
#include "launcher/google/network_addresses.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "launcher/blueprint/use_check.h"
#include "launcher/cluster/model_part.h"
#include "launcher/expression/functions.h"
#include "launcher/expression/ipv4.h"
#include "launcher/google/setting_place.h"

namespace slipway::google {
namespace {

using blueprint::Module;
using expression::Ipv4Range;
using expression::Value;
using source::Code;

// An output of a module, which has no value before deployment.
struct Output {
  const Module* module = nullptr;
  std::string name;  // empty: a part of an output
};

class NetworkAddresses {
 public:
  NetworkAddresses(const blueprint::Deployment& deployment, blueprint::Evaluation& evaluation,
                   const cluster::Zones* zones, source::Diagnostics& diagnostics)
      : deployment_(deployment), evaluation_(evaluation), diagnostics_(diagnostics) {
    using blueprint::Level;
    if (level_of(deployment, "test_zone_in_region") != Level::ignore) zones_ = zones;
  }

  void check(const Module& module) {
    const Output link = output_of(input(module, "subnetwork_self_link"));
    if (has(module, "machine_type")) check_interfaces(module, link);
    if (link.module == nullptr || link.name != "subnetwork_self_link") return;
    check_static_addresses(module, *link.module);
    if (has(module, "machine_type") && zones_ != nullptr) check_region(module, *link.module);
    check_control_plane(module, *link.module);
  }

 private:
  static bool has(const Module& module, const std::string& input) {
    return module.interface->input(input) != nullptr;
  }

  static bool gives(const Module& module, const std::string& output) {
    return module.interface->output(output) != nullptr;
  }

  const Value& input(const Module& module, const std::string& name) {
    static const Value none;
    return has(module, name) ? evaluation_.input(module, name) : none;
  }

  Output output_of(const Value& value) const {
    const Module* module = deployment_.source_of(value);
    if (module == nullptr || module->interface == nullptr) return {};
    const auto* path = value.as<expression::Unknown>()->expression->as<expression::Traversal>();
    const bool is_whole = path != nullptr && path->root == "module" && path->steps.size() == 2;
    return {module, is_whole ? path->steps[1].name : std::string()};
  }

  // The range of the subnetwork that a network's module puts first.
  std::optional<Ipv4Range> first_range(const Module& network) {
    if (!gives(network, "subnetwork_address")) return std::nullopt;
    const Value& range = evaluation_.output(network, "subnetwork_address");
    return expression::parse_ipv4_range(expression::text_of(range).value_or(""));
  }

  void check_static_addresses(const Module& module, const Module& network) {
    const auto range = first_range(network);
    const auto* addresses = input(module, "static_ips").as<Value::List>();
    if (!range || addresses == nullptr) return;
    for (const Value& address : *addresses) {
      const auto* text = address.as<std::string>();
      const auto one = text == nullptr ? std::nullopt : expression::parse_ipv4_range(*text + "/32");
      if (!one || expression::overlap(*range, *one)) continue;
      diagnostics_
          .error(Code::rule_broken, place_in(module, "static_ips", *text),
                 fmt::format("the address {} is not in the subnetwork of module `{}`, {}", *text,
                             network.id, to_text(*range)))
          .help("use an address of the subnetwork, or leave the setting out");
    }
  }

  // A subnetwork has one region, in which all of its machines are.
  void check_region(const Module& module, const Module& network) {
    const auto* region = input(network, "region").as<std::string>();
    const auto* own = input(network, "subnetworks").as<Value::List>();
    const bool has_one = !has(network, "subnetworks") || (own != nullptr && own->empty());
    if (region == nullptr || !has_one || !zones_->regions.contains(*region)) return;
    // A zone outside the machines' own region has been reported.
    const auto* machines = input(module, "region").as<std::string>();
    const std::string own_prefix = machines == nullptr ? "" : *machines + "-";
    for (const char* setting : {"zones", "zone"}) {
      const Value& value = input(module, setting);
      const auto* list = value.as<Value::List>();
      if (list != nullptr && list->empty()) continue;
      if (list == nullptr && value.as<std::string>() == nullptr) continue;
      for (const Value& zone : list == nullptr ? Value::List{value} : *list) {
        const auto* text = zone.as<std::string>();
        if (text == nullptr || text->starts_with(*region + "-")) continue;
        if (text->empty() || !text->starts_with(own_prefix)) continue;
        diagnostics_
            .error(Code::rule_broken, place_in(module, setting, *text),
                   fmt::format("module `{}` has machines in `{}`, but its subnetwork is in `{}`",
                               module.id, *text, *region))
            .other(cluster::place_of(network, "region"), "the subnetwork's region")
            .help(fmt::format("use a zone of {}, or a network in the machines' region", *region));
        return;
      }
      return;  // `zones` decides
    }
  }

  // The modules of networks that are certainly not for RDMA, whose machines have several interfaces
  // in one. A module that makes several networks has no name of one.
  const Module* network_of(const Value& interface) {
    const auto* members = interface.as<Value::Object>();
    for (const char* key : {"subnetwork", "network"}) {
      const Value* link = &interface;
      if (members != nullptr) {
        const auto found = members->find(key);
        if (found == members->end() || found->second.is_null()) continue;
        link = &found->second;
      }
      const Module* module = output_of(*link).module;
      if (module == nullptr || !gives(*module, "network_name")) return nullptr;
      const bool has_profile =
          !has(*module, "network_profile") || !input(*module, "network_profile").is_null();
      return has_profile ? nullptr : module;
    }
    return nullptr;
  }

  void check_interfaces(const Module& module, const Output& first) {
    std::set<const Module*> seen;
    if (first.module != nullptr) seen.insert(network_of(input(module, "subnetwork_self_link")));
    for (const char* setting : {"additional_networks", "network_interfaces"}) {
      const auto* interfaces = input(module, setting).as<Value::List>();
      if (interfaces == nullptr || interfaces->empty()) continue;
      // These replace the first interface.
      if (setting == std::string_view("network_interfaces")) seen.clear();
      for (const Value& interface : *interfaces) {
        const Module* network = network_of(interface);
        if (network == nullptr || seen.insert(network).second) continue;
        diagnostics_
            .error(Code::rule_broken, cluster::place_of(module, setting),
                   fmt::format("module `{}` has two interfaces in the network of module `{}`",
                               module.id, network->id))
            .help("each interface of a machine needs a network of its own");
        return;
      }
    }
  }

  void check_control_plane(const Module& module, const Module& network) {
    const auto* text = input(module, "master_ipv4_cidr_block").as<std::string>();
    const auto own = text == nullptr ? std::nullopt : expression::parse_ipv4_range(*text);
    if (!own) return;
    std::vector<std::pair<std::string, Ipv4Range>> taken;
    if (const auto range = first_range(network)) taken.emplace_back("the subnetwork", *range);
    for (const char* setting : {"secondary_ranges", "secondary_ranges_list"}) {
      add_ranges(input(network, setting), taken);
    }
    for (const auto& [name, range] : taken) {
      if (!expression::overlap(*own, range)) continue;
      diagnostics_
          .error(Code::rule_broken, cluster::place_of(module, "master_ipv4_cidr_block"),
                 fmt::format("the control plane's range {} overlaps with {} of module `{}`, {}",
                             *text, name, network.id, to_text(range)))
          .help("set `master_ipv4_cidr_block` to a /28 that nothing in the network uses");
      return;
    }
  }

  static void add_ranges(const Value& value,
                         std::vector<std::pair<std::string, Ipv4Range>>& ranges) {
    if (const auto* list = value.as<Value::List>()) {
      for (const Value& item : *list) add_ranges(item, ranges);
    }
    const auto* object = value.as<Value::Object>();
    if (object == nullptr) return;
    const auto name = object->find("range_name");
    const auto text = object->find("ip_cidr_range");
    if (name != object->end() && text != object->end()) {
      const auto range =
          expression::parse_ipv4_range(expression::text_of(text->second).value_or(""));
      if (!range) return;
      ranges.emplace_back(
          fmt::format("the range `{}`", expression::text_of(name->second).value_or("")), *range);
      return;
    }
    for (const auto& [key, member] : *object) add_ranges(member, ranges);
  }

  const cluster::Zones* zones_ = nullptr;
  const blueprint::Deployment& deployment_;
  blueprint::Evaluation& evaluation_;
  source::Diagnostics& diagnostics_;
};

}  // namespace

void check_network_addresses(const blueprint::Deployment& deployment,
                             blueprint::Evaluation& evaluation, const cluster::Zones* zones,
                             source::Diagnostics& diagnostics) {
  NetworkAddresses check(deployment, evaluation, zones, diagnostics);
  for (const blueprint::Group& group : deployment.groups) {
    for (const Module& module : group.modules) {
      if (module.interface != nullptr) check.check(module);
    }
  }
}

}  // namespace slipway::google
