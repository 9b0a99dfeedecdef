// Reads and writes a plan as JSON.
#include "launcher/local/plan_json.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "common/error.h"

namespace slipway::local {
namespace {

using nlohmann::json;

constexpr const char* schema = "slipway/local-plan/1";

}  // namespace

// These macros define both directions.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Bridge, name, network, address, mtu_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Port, interface, address, mtu_bytes, bridge)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Mount, shared, target)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PlannedNode, name, role, machine_type, image, ports, mounts,
                                   gpu_devices, node_json, on_demand, slot)

namespace {

// Earlier versions wrote one image for all nodes.
json with_images(json nodes, const json& plan) {
  for (json& node : nodes) {
    if (!node.contains("image")) node["image"] = plan.at("image");
  }
  return nodes;
}

}  // namespace

json to_json(const Plan& plan) {
  return {{"schema", schema},
          {"deployment", plan.deployment},
          {"cluster", plan.cluster},
          {"image", plan.image()},
          {"bridges", plan.bridges},
          {"shared", plan.shared},
          {"nodes", plan.nodes},
          {"slurm_files", plan.slurm_files},
          {"slurmdbd_conf", plan.slurmdbd_conf},
          {"monitoring", plan.monitoring},
          {"tells", plan.tells},
          {"admits", plan.admits},
          {"hosts", plan.hosts},
          {"machine_files", plan.machine_files}};
}

Plan plan_from_json(const json& from) try {
  if (from.at("schema") != schema) throw Error("another version of slipway wrote it");
  Plan plan;
  from.at("deployment").get_to(plan.deployment);
  from.at("cluster").get_to(plan.cluster);
  from.at("bridges").get_to(plan.bridges);
  from.at("shared").get_to(plan.shared);
  with_images(from.at("nodes"), from).get_to(plan.nodes);
  from.at("slurm_files").get_to(plan.slurm_files);
  from.at("slurmdbd_conf").get_to(plan.slurmdbd_conf);
  plan.monitoring = from.value("monitoring", "none");
  plan.tells = from.value("tells", false);
  plan.admits = from.value("admits", false);
  from.at("hosts").get_to(plan.hosts);
  plan.machine_files = from.value("machine_files", plan.machine_files);
  if (plan.nodes.empty()) throw Error("it has no nodes");
  return plan;
} catch (const json::exception& error) {
  throw Error(fmt::format("this is not a deployment's plan: {}", error.what()));
}

}  // namespace slipway::local
