// The node profile as JSON: written by the deployer, read on the node.
#include "common/node_profile.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/file.h"

namespace slipway {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

ordered_json interface_to_json(const NodeProfile::Interface& nic) {
  return {{"name", nic.name},
          {"purpose", nic.purpose},
          {"network", nic.network},
          {"address", nic.address},
          {"mtu_bytes", nic.mtu_bytes}};
}

ordered_json expected_to_json(const NodeProfile::ExpectedBandwidth& expected) {
  return {{"collective", expected.collective}, {"nodes", expected.nodes},
          {"size_bytes", expected.size_bytes}, {"busbw_gb_per_s", expected.busbw_gb_per_s},
          {"tolerance", expected.tolerance},   {"source", expected.source},
          {"transport", expected.transport}};
}

NodeProfile::Interface interface_from_json(const json& j) {
  return {j.at("name"), j.at("purpose"), j.at("network"), j.at("address"), j.at("mtu_bytes")};
}

NodeProfile::ExpectedBandwidth expected_from_json(const json& j) {
  return {j.at("collective"), j.at("nodes"),  j.at("size_bytes"),      j.at("busbw_gb_per_s"),
          j.at("tolerance"),  j.at("source"), j.value("transport", "")};
}

NodeProfile profile_from_json(const json& j) {
  NodeProfile profile;
  j.at("deployment").get_to(profile.deployment);
  j.at("cluster").get_to(profile.cluster);
  j.at("node").get_to(profile.node);
  j.at("role").get_to(profile.role);
  j.at("target").get_to(profile.target);
  j.at("machine_type").get_to(profile.machine_type);
  const json& gpus = j.at("gpus");
  profile.gpus = {gpus.at("count"), gpus.at("model"), gpus.at("devices")};
  for (const json& nic : j.at("network_interfaces")) {
    profile.network_interfaces.push_back(interface_from_json(nic));
  }
  // Profiles of earlier deployers have no mounts.
  profile.mounts = j.value("mounts", std::vector<std::string>());
  profile.transport = transport_from_json(j.at("transport"));
  for (const json& expected : j.at("expected_bandwidth")) {
    profile.expected_bandwidth.push_back(expected_from_json(expected));
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
  return j.dump(2) + "\n";
}

NodeProfile parse_node_profile(std::string_view text, const std::filesystem::path& path) {
  try {
    const json j = json::parse(text);
    const std::string schema = j.at("schema");
    if (schema != node_profile_schema) {
      throw Error(fmt::format("schema is `{}`, expected `{}`", schema, node_profile_schema));
    }
    return profile_from_json(j);
  } catch (const std::exception& error) {  // json's own, and the one above
    throw Error(fmt::format("{} is not a node profile: {}", path.string(), error.what()));
  }
}

NodeProfile load_node_profile(const std::filesystem::path& path) {
  return parse_node_profile(read_file(path), path);
}

}  // namespace slipway
