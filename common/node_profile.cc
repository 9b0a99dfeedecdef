// Writes and reads the node profile as JSON.
#include "common/node_profile.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/file.h"
#include "common/json.h"

namespace slipway {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr size_t largest_profile = 4 << 20;

ordered_json interface_to_json(const NodeProfile::Interface& nic) {
  ordered_json j = {{"name", nic.name},
                    {"purpose", nic.purpose},
                    {"network", nic.network},
                    {"address", nic.address},
                    {"mtu_bytes", nic.mtu_bytes}};
  if (!nic.rdma_device.empty()) j["rdma_device"] = nic.rdma_device;
  if (!nic.pci_address.empty()) j["pci_address"] = nic.pci_address;
  if (!nic.gpus.empty()) j["gpus"] = nic.gpus;
  return j;
}

ordered_json expected_to_json(const NodeProfile::ExpectedBandwidth& expected) {
  ordered_json j = {
      {"collective", expected.collective}, {"nodes", expected.nodes},
      {"size_bytes", expected.size_bytes}, {"busbw_gb_per_s", expected.busbw_gb_per_s},
      {"tolerance", expected.tolerance},   {"source", expected.source},
      {"transport", expected.transport}};
  if (expected.ranks_per_node > 0) j["ranks_per_node"] = expected.ranks_per_node;
  if (const auto& more = expected.more_nodes) {
    j["more_nodes"] = {
        {"up_to", more->up_to}, {"tolerance", more->tolerance}, {"because", more->because}};
  }
  return j;
}

// Upper limits: no cloud machine exceeds them, so a larger number is a mistake.
constexpr int64_t most_gpus = 1024, most_nodes = 1'000'000, largest_mtu = 65535;
constexpr int64_t largest_message = int64_t{1} << 50;
constexpr double fastest_gb_per_s = 1e6;

NodeProfile::Interface interface_from_json(const JsonValue& j) {
  NodeProfile::Interface nic{j.at("name").text(), j.at("purpose").text(), j.at("network").text(),
                             j.at("address").text(), j.at("mtu_bytes").whole(0, largest_mtu)};
  if (const auto device = j.find("rdma_device")) nic.rdma_device = device->text();
  if (const auto address = j.find("pci_address")) nic.pci_address = address->text();
  if (const auto gpus = j.find("gpus")) {
    for (const JsonValue& gpu : gpus->items()) nic.gpus.push_back(gpu.whole(0, most_gpus - 1));
  }
  return nic;
}

NodeProfile::ExpectedBandwidth expected_from_json(const JsonValue& j) {
  const auto transport = j.find("transport"), ranks = j.find("ranks_per_node");
  NodeProfile::ExpectedBandwidth expected{j.at("collective").text(),
                                          j.at("nodes").whole(1, most_nodes),
                                          j.at("size_bytes").whole(1, largest_message),
                                          j.at("busbw_gb_per_s").number(1e-6, fastest_gb_per_s),
                                          j.at("tolerance").number(0, 1),
                                          j.at("source").text(),
                                          transport ? transport->text() : "",
                                          ranks ? ranks->whole(1, most_gpus) : 0};
  if (const auto more = j.find("more_nodes")) {
    expected.more_nodes = {more->at("up_to").whole(1, most_nodes),
                           more->at("tolerance").number(0, 1), more->at("because").text()};
  }
  return expected;
}

NodeProfile::BandwidthControl control_from_json(const JsonValue& j) {
  NodeProfile::BandwidthControl control{j.at("kind").text(), j.at("least_ratio").number(0, 1),
                                        j.at("least_size_bytes").whole(1, largest_message),
                                        j.at("source").text()};
  if (control.kind != "loopback") j.at("kind").expected("`loopback`");
  return control;
}

NodeProfile::Gpus gpus_from_json(const JsonValue& j) {
  NodeProfile::Gpus gpus{j.at("count").whole(0, most_gpus), j.at("model").text(),
                         j.at("devices").texts()};
  if (gpus.count > 0 && gpus.model.empty()) j.at("model").expected("the model of the GPUs");
  if (const auto addresses = j.find("pci_addresses")) gpus.pci_addresses = addresses->texts();
  return gpus;
}

NodeProfile profile_from_json(const JsonValue& j) {
  NodeProfile profile;
  profile.deployment = j.at("deployment").text();
  profile.cluster = j.at("cluster").text();
  profile.node = j.at("node").text();
  profile.role = j.at("role").text();
  if (profile.role != "compute" && profile.role != "login" && profile.role != "controller") {
    j.at("role").expected("`compute`, `login` or `controller`");
  }
  profile.target = j.at("target").text();
  profile.machine_type = j.at("machine_type").text();
  profile.gpus = gpus_from_json(j.at("gpus"));
  for (const JsonValue& nic : j.at("network_interfaces").items()) {
    profile.network_interfaces.push_back(interface_from_json(nic));
  }
  if (const auto unused = j.find("unused_interfaces")) profile.unused_interfaces = unused->texts();
  // Older deployers wrote no mounts.
  if (const auto mounts = j.find("mounts")) profile.mounts = mounts->texts();
  profile.transport = transport_from_json(j.at("transport").raw());
  if (const auto daemons = j.find("daemons")) {
    for (const JsonValue& daemon : daemons->items()) {
      profile.daemons.push_back(daemon_from_json(daemon));
    }
  }
  for (const JsonValue& expected : j.at("expected_bandwidth").items()) {
    profile.expected_bandwidth.push_back(expected_from_json(expected));
  }
  if (const auto control = j.find("bandwidth_control")) {
    profile.bandwidth_control = control_from_json(*control);
  }
  if (const auto origins = j.find("origins")) {
    for (const auto& [value, origin] : origins->members()) profile.origins[value] = origin.text();
  }
  return profile;
}

}  // namespace

std::string to_json(const NodeProfile& profile) {
  ordered_json interfaces = ordered_json::array();
  for (const auto& nic : profile.network_interfaces) interfaces.push_back(interface_to_json(nic));
  ordered_json expected = ordered_json::array();
  for (const auto& row : profile.expected_bandwidth) expected.push_back(expected_to_json(row));

  ordered_json j = {
      {"schema", node_profile_schema},
      {"deployment", profile.deployment},
      {"cluster", profile.cluster},
      {"node", profile.node},
      {"role", profile.role},
      {"target", profile.target},
      {"machine_type", profile.machine_type},
      {"gpus",
       {{"count", profile.gpus.count},
        {"model", profile.gpus.model},
        {"devices", profile.gpus.devices}}},
      {"network_interfaces", std::move(interfaces)},
      {"mounts", profile.mounts},
      {"transport", transport_to_json(profile.transport)},
      {"expected_bandwidth", std::move(expected)},
  };
  if (const auto& control = profile.bandwidth_control) {
    j["bandwidth_control"] = {{"kind", control->kind},
                              {"least_ratio", control->least_ratio},
                              {"least_size_bytes", control->least_size_bytes},
                              {"source", control->source}};
  }
  for (const NodeTransport::Daemon& daemon : profile.daemons) {
    j["daemons"].push_back(daemon_to_json(daemon));
  }
  // Only of machines that described themselves.
  if (!profile.gpus.pci_addresses.empty()) {
    j["gpus"]["pci_addresses"] = profile.gpus.pci_addresses;
  }
  if (!profile.unused_interfaces.empty()) j["unused_interfaces"] = profile.unused_interfaces;
  if (!profile.origins.empty()) j["origins"] = profile.origins;
  return j.dump(2) + "\n";
}

NodeProfile parse_node_profile(std::string_view text, const std::filesystem::path& path) {
  try {
    const json body = parse_json(text);
    const JsonValue j(body);
    const std::string schema = j.at("schema").text();
    if (schema != node_profile_schema) {
      throw Error(fmt::format("schema is `{}`, expected `{}`", schema, node_profile_schema));
    }
    return profile_from_json(j);
  } catch (const Error& error) {
    throw error.within(fmt::format("{} is not a node profile", path.string()));
  }
}

NodeProfile load_node_profile(const std::filesystem::path& path) {
  return parse_node_profile(read_regular_file(path, largest_profile), path);
}

}  // namespace slipway
