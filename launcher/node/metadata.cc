// Reads a cloud machine's metadata and its cluster's cluster.json.
#include "launcher/node/metadata.h"

#include <arpa/inet.h>
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <set>

#include "common/error.h"
#include "common/json.h"
#include "common/text.h"

namespace slipway::node {
namespace {

using nlohmann::json;

// Whether a node's slurm.conf line has no quotes and nothing that a shell or systemd would
// interpret.
bool is_plain_conf(const std::string& text) {
  return text.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
             "=_:.,- ") == std::string::npos;
}

std::string attribute(const json& instance, const char* name) {
  const json value =
      instance.value(json::json_pointer(fmt::format("/attributes/{}", name)), json());
  if (!value.is_string() || value.get<std::string>().empty()) {
    throw Error(fmt::format(
        "this machine has no metadata `{}`: it is not part of a Slipway cluster", name));
  }
  return value.get<std::string>();
}

// User names, separated by commas; "*" means everyone.
std::vector<std::string> users_from(const std::string& text) {
  std::vector<std::string> users = split(text, ',');
  for (const std::string& user : users) {
    const bool is_name =
        !user.empty() && user[0] != '-' &&
        user.find_first_not_of(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.@-") ==
            std::string::npos;
    if (!is_name && user != "*") {
      throw Error(fmt::format(
          "the metadata `slipway-metadata-users` contains `{}`, which is not a user name", user));
    }
  }
  return users;
}

int prefix_bits(const std::string& mask) {
  in_addr address = {};
  if (::inet_pton(AF_INET, mask.c_str(), &address) != 1) return 32;
  return std::popcount(address.s_addr);
}

// Whether `text` is a name that is safe as a file name.
bool is_plain_name(const std::string& text) {
  return !text.empty() && text.find('/') == text.npos && text[0] != '.';
}

std::vector<NetworkStorage> storage_from(const json& rows) {
  std::vector<NetworkStorage> storage;
  for (const json& row : rows) {
    const auto text = [&](const char* key) {
      const json value = row.value(key, json());
      return value.is_string() ? value.get<std::string>() : std::string();
    };
    storage.push_back({text("server_ip"), text("remote_mount"), text("local_mount"),
                       text("fs_type"), text("mount_options")});
  }
  return storage;
}

// A member of an object, or `otherwise` if it is missing or null.
template <class T>
T value_or(const json& object, const char* key, T otherwise) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? otherwise : found->get<T>();
}

Way way_from(const json& way) {
  return {way.at("model"),
          value_or(way, "reservation", std::string()),
          value_or(way, "future_reservation", std::string()),
          value_or(way, "max_run_duration_seconds", 0L),
          value_or(way, "use_job_duration", false),
          value_or(way, "termination_action", std::string()),
          value_or(way, "min_run_duration_seconds", 0L)};
}

// The members that older files do not have.
void read_power(const json& nodeset, Nodes& nodes) {
  nodes.zone_target_shape = value_or(nodeset, "zone_target_shape", nodes.zone_target_shape);
  nodes.static_count = value_or(nodeset, "static", 0);
  nodes.dynamic_count = value_or(nodeset, "dynamic", 0);
  nodes.machine_type = value_or(nodeset, "machine_type", std::string());
  for (const json& way : value_or(nodeset, "buy", json::array())) {
    nodes.buy.push_back(way_from(way));
  }
  if (const json placement = value_or(nodeset, "placement", json()); !placement.is_null()) {
    nodes.placement = {value_or(placement, "max_distance", 0), placement.at("machines_per_policy"),
                       value_or(placement, "gpu_topology", std::string())};
    if (nodes.placement->machines_per_policy < 1) {
      throw Error("a placement policy for less than one machine");
    }
  }
  if (const json maintenance = value_or(nodeset, "maintenance", json()); !maintenance.is_null()) {
    nodes.maintenance = {value_or(maintenance, "interval", std::string()),
                         value_or(maintenance, "reservation", false),
                         value_or(maintenance, "opportunistic", false)};
  }
  const json properties = value_or(nodeset, "instance_properties", json());
  if (!properties.is_null()) {
    if (!properties.is_object()) throw Error("`instance_properties` is not an object");
    nodes.instance_properties = properties.dump();
  }
}

Nodes nodes_from(const json& nodeset) {
  Nodes nodes;
  nodeset.at("project").get_to(nodes.project);
  nodeset.at("zones").get_to(nodes.zones);
  nodes.instance_template = value_or(nodeset, "template", std::string());
  nodes.mounts = storage_from(nodeset.at("mounts"));
  read_power(nodeset, nodes);
  return nodes;
}

// The members that older files do not have.
void read_more(const json& j, ClusterFile& cluster) {
  if (const json backup = value_or(j.at("controller"), "backup", json()); !backup.is_null()) {
    cluster.backup = {backup.at("name"), value_or(backup, "zone", std::string())};
  }
  if (const json database = value_or(j, "database", json()); !database.is_null()) {
    const json& version = database.at("version");
    cluster.database = {database.at("secret"),
                        version.is_string() ? to_number<int>(version.get<std::string>()).value_or(0)
                                            : version.get<int>()};
    if (cluster.database->version < 1) throw Error("`database` has no version of its secret");
  }
  cluster.log_requests = value_or(j, "log_requests", false);
  cluster.monitoring = value_or(j, "monitoring", std::string("none"));
  const json limits = value_or(j, "startup_seconds", json::object());
  for (const auto& [role, seconds] : limits.items()) {
    cluster.startup_seconds[role] = seconds.get<long>();
  }
}

ClusterFile cluster_from(const json& j) {
  if (j.at("schema") != "slipway/cluster/1") {
    throw Error(fmt::format("its schema is {}, not \"slipway/cluster/1\"", j.at("schema").dump()));
  }
  ClusterFile cluster;
  j.at("cluster").get_to(cluster.cluster);
  const json& controller = j.at("controller");
  controller.at("name").get_to(cluster.controller);
  controller.at("project").get_to(cluster.controller_project);
  // null: where Terraform's provider puts it by default.
  const json& zone = controller.at("zone");
  if (zone.is_string()) cluster.controller_zone = zone;
  j.at("munge_key").get_to(cluster.munge_key);
  read_more(j, cluster);
  j.at("files").get_to(cluster.files);
  cluster.mounts = storage_from(j.at("mounts").at("all"));
  cluster.login_mounts = storage_from(j.at("mounts").at("login"));
  for (const auto& [name, nodeset] : j.at("nodesets").items()) {
    cluster.nodesets[name] = nodes_from(nodeset);
  }
  return cluster;
}

// Parses "gs://BUCKET/FOLDER".
void read_place_of_files(const std::string& files, MachineMetadata& self) {
  constexpr std::string_view scheme = "gs://";
  const size_t slash = files.find('/', scheme.size());
  if (!files.starts_with(scheme) || slash == files.npos || slash + 1 == files.size()) {
    throw Error(fmt::format("the metadata `slipway-files` is `{}`, which is not gs://BUCKET/FOLDER",
                            files));
  }
  self.bucket = files.substr(scheme.size(), slash - scheme.size());
  self.folder = files.substr(slash + 1);
}

MachineMetadata myself_from(const json& instance) {
  MachineMetadata self;
  self.name = instance.value("name", "");
  const std::string zone = instance.value("zone", "");  // "projects/123/zones/us-central1-a"
  self.zone = zone.substr(zone.rfind('/') + 1);
  self.cluster = attribute(instance, "slipway-cluster");
  self.role = attribute(instance, "slipway-role");
  self.group = attribute(instance, "slipway-group");
  if (!is_plain_name(self.name) || !is_plain_name(self.group)) {
    throw Error("the metadata server gives this machine no name");
  }
  if (self.role != "controller" && self.role != "login" && self.role != "compute") {
    throw Error(
        fmt::format("the metadata `slipway-role` is `{}`, which is not a valid role", self.role));
  }
  read_place_of_files(attribute(instance, "slipway-files"), self);
  if (instance.contains(json::json_pointer("/attributes/slipway-node-conf"))) {
    self.node_conf = attribute(instance, "slipway-node-conf");
    if (!is_plain_conf(self.node_conf)) {
      throw Error(fmt::format("the metadata `slipway-node-conf` is `{}`, which is not KEY=VALUE …",
                              self.node_conf));
    }
  }
  if (instance.contains(json::json_pointer("/attributes/slipway-metadata-users"))) {
    self.metadata_users = users_from(attribute(instance, "slipway-metadata-users"));
  }
  for (const json& row : instance.value("networkInterfaces", json::array())) {
    self.interfaces.push_back(
        {row.value("mac", ""),
         fmt::format("{}/{}", row.value("ip", ""), prefix_bits(row.value("subnetmask", "")))});
  }
  return self;
}

}  // namespace

MachineMetadata read_machine_metadata(const json& instance) try {
  return myself_from(instance);
} catch (const json::exception& error) {
  throw Error(fmt::format("the metadata server sent an invalid answer: {}", error.what()));
}

ClusterFile parse_cluster_file(const std::string& text) {
  try {
    return cluster_from(parse_json(text));
  } catch (const json::exception& error) {
    throw Error(error.what());
  }
}

const Nodes* nodeset_of(const ClusterFile& cluster, const std::string& node) {
  const std::string prefix = cluster.cluster + "-";
  const size_t dash = node.rfind('-');
  if (!node.starts_with(prefix) || dash < prefix.size()) return nullptr;
  const auto found = cluster.nodesets.find(node.substr(prefix.size(), dash - prefix.size()));
  return found == cluster.nodesets.end() ? nullptr : &found->second;
}

std::string server_of(const NetworkStorage& storage, const ClusterFile& cluster) {
  const bool is_controller =
      storage.server == "$controller" || (storage.server.empty() && storage.is_nfs());
  return is_controller ? cluster.controller : storage.server;
}

std::vector<NetworkStorage> mounts_of(const ClusterFile& cluster, const MachineMetadata& self) {
  std::vector<NetworkStorage> all;
  const auto add = [&](const std::vector<NetworkStorage>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  // More specific settings come first, and win.
  if (self.role == "login") add(cluster.login_mounts);
  if (const Nodes* nodes = nodeset_of(cluster, self.name); nodes && self.role == "compute") {
    add(nodes->mounts);
  }
  add(cluster.mounts);
  std::set<std::string> seen;
  std::erase_if(all, [&](const NetworkStorage& one) { return !seen.insert(one.local).second; });
  std::ranges::sort(all, {}, &NetworkStorage::local);  // "/a" before "/a/b"
  for (NetworkStorage& one : all) one.server = server_of(one, cluster);
  return all;
}

NodeProfile own_profile(NodeProfile profile, const MachineMetadata& self) {
  profile.node = self.name;
  for (size_t i = 0; i < profile.network_interfaces.size() && i < self.interfaces.size(); ++i) {
    profile.network_interfaces[i].address = self.interfaces[i].address;
  }
  return profile;
}

}  // namespace slipway::node
