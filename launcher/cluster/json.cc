// Prints the cluster model as JSON.
#include "launcher/cluster/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace slipway::cluster {
namespace {

using Json = nlohmann::ordered_json;

Json tree(const Network& network) {
  return {{"id", network.id},
          {"name", network.name},
          {"cidr", network.cidr},
          {"mtu_bytes", network.mtu_bytes}};
}

Json tree(const FileSystem& file_system) {
  return {{"id", file_system.id},
          {"kind", file_system.kind},
          {"mount", file_system.mount},
          {"size_gib", file_system.size_gib},
          {"network", file_system.network}};
}

Json tree(const MachineSpec& machine) {
  Json ids = Json::array(), mounts = Json::array();
  for (const MountedFileSystem& mounted : machine.file_systems) {
    if (std::find(ids.begin(), ids.end(), Json(mounted.id)) == ids.end()) ids.push_back(mounted.id);
    mounts.push_back({{"file_system", mounted.id}, {"mount", mounted.mount}});
  }
  Json json{{"machine_type", machine.machine_type},
            {"networks", machine.networks},
            {"file_systems", std::move(ids)},
            {"mounts", std::move(mounts)}};
  if (machine.threads_per_core > 0) json["threads_per_core"] = machine.threads_per_core;
  if (machine.visible_core_count > 0) json["visible_core_count"] = machine.visible_core_count;
  return json;
}

// Adds "hosts" if the machines exist already.
void add(Json& json, const std::vector<Host>& hosts) {
  for (const Host& host : hosts) {
    json["hosts"].push_back({{"name", host.name}, {"address", host.address}});
  }
}

Json tree(const Nodeset& nodeset) {
  Json json{{"id", nodeset.id},
            {"name", nodeset.name},
            {"machine", tree(nodeset.machine)},
            {"node_count_static", nodeset.node_count_static},
            {"node_count_dynamic_max", nodeset.node_count_dynamic_max},
            {"node_conf", nodeset.node_conf}};
  if (!nodeset.feature.empty()) json["feature"] = nodeset.feature;
  add(json, nodeset.hosts);
  return json;
}

Json tree(const Partition& partition) {
  return {{"id", partition.id},
          {"name", partition.name},
          {"nodesets", partition.nodesets},
          {"is_default", partition.is_default},
          {"exclusive", partition.exclusive},
          {"partition_conf", partition.partition_conf}};
}

Json tree(const Login& login) {
  Json json{{"id", login.id},
            {"name", login.name},
            {"machine", tree(login.machine)},
            {"count", login.count}};
  add(json, login.hosts);
  return json;
}

Json tree(const Controller& controller) {
  Json json{{"id", controller.id}, {"machine", tree(controller.machine)}};
  if (controller.accounting) json["accounting"] = true;
  if (!controller.health_policy.empty()) json["health_policy"] = controller.health_policy;
  if (!controller.private_tmp) json["private_tmp"] = false;
  if (!controller.private_tmp_path.empty()) json["private_tmp_path"] = controller.private_tmp_path;
  if (controller.containers != "slipway") json["containers"] = controller.containers;
  if (controller.monitoring != "none") json["monitoring"] = controller.monitoring;
  if (controller.slurm_auth) json["slurm_auth"] = true;
  if (!controller.slurm_conf.empty()) json["slurm_conf"] = controller.slurm_conf;
  if (!controller.slurmdbd_conf.empty()) json["slurmdbd_conf"] = controller.slurmdbd_conf;
  if (!controller.cgroup_conf.empty()) json["cgroup_conf"] = controller.cgroup_conf;
  if (controller.lists_from_template) json["lists_from_template"] = true;
  if (!controller.scripts.empty()) json["scripts"] = controller.scripts;
  if (controller.external_scripts) json["external_scripts"] = true;
  add(json, controller.hosts);
  return json;
}

template <class T>
Json list(const std::vector<T>& parts) {
  Json out = Json::array();
  for (const T& part : parts) out.push_back(tree(part));
  return out;
}

}  // namespace

std::string to_json(const Cluster& cluster) {
  const Json out{{"schema", model_schema},
                 {"deployment", cluster.deployment},
                 {"name", cluster.name},
                 {"networks", list(cluster.networks)},
                 {"file_systems", list(cluster.file_systems)},
                 {"nodesets", list(cluster.nodesets)},
                 {"partitions", list(cluster.partitions)},
                 {"logins", list(cluster.logins)},
                 {"controller", tree(cluster.controller)}};
  return out.dump(2) + "\n";
}

}  // namespace slipway::cluster
