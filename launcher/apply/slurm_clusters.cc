// Reads which Slurm clusters a group's definitions describe.
#include "launcher/apply/slurm_clusters.h"

#include <nlohmann/json.hpp>

namespace slipway::apply {
namespace {

using Json = nlohmann::ordered_json;

// A string without expressions; empty if it is something else.
std::string literal(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return "";
  std::string text = *found;
  return text.find("${") == text.npos ? text : "";
}

std::string reference(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// The resources of a type, by name.
std::map<std::string, Json> resources_of(const std::map<std::string, Json>& documents,
                                         const char* type) {
  std::map<std::string, Json> resources;
  for (const auto& [path, document] : documents) {
    if (!document.is_object()) continue;
    const Json none = Json::object();
    const Json all = document.value("resource", none);
    const Json named = all.is_object() ? all.value(type, none) : none;
    for (const auto& [name, body] : named.items()) {
      if (body.is_object()) resources[name] = body;
    }
  }
  return resources;
}

Json metadata_of(const Json& instance_template) {
  const auto found = instance_template.find("metadata");
  return found != instance_template.end() && found->is_object() ? *found : Json::object();
}

void add_controllers(const std::map<std::string, Json>& machines, const std::string& of_template,
                     SlurmCluster& cluster) {
  for (const auto& [name, machine] : machines) {
    const std::string source = reference(machine, "source_instance_template");
    if (source.find("google_compute_instance_template." + of_template + ".") == source.npos) {
      continue;
    }
    const SlurmCluster::Controller controller{literal(machine, "project"), literal(machine, "zone"),
                                              literal(machine, "name")};
    const bool known = !controller.project.empty() && !controller.zone.empty();
    if (known && !controller.name.empty()) cluster.controllers.insert(controller);
  }
}

// Marked by the controller's module, which is not always in the group of its cluster's nodes.
void add_marks(const std::map<std::string, Json>& documents,
               std::map<std::string, SlurmCluster>& clusters) {
  for (const auto& [name, data] : resources_of(documents, "terraform_data")) {
    const auto input = data.find("input");
    if (input == data.end() || !input->is_object()) continue;
    const std::string cluster = literal(*input, "keep_machines_of");
    if (cluster.empty()) continue;
    clusters[cluster].name = cluster;
    clusters[cluster].keeps_machines = true;
  }
}

}  // namespace

void add_slurm_clusters(const std::map<std::string, Json>& documents,
                        std::map<std::string, SlurmCluster>& clusters) {
  const auto machines = resources_of(documents, "google_compute_instance_from_template");
  for (const auto& [name, made] : resources_of(documents, "google_compute_instance_template")) {
    const Json metadata = metadata_of(made);
    const std::string cluster_name = literal(metadata, "slipway-cluster");
    const std::string project = literal(made, "project"), region = literal(made, "region");
    if (cluster_name.empty() || project.empty()) continue;
    SlurmCluster& cluster = clusters[cluster_name];
    cluster.name = cluster_name;
    cluster.projects.insert(project);
    if (!region.empty()) cluster.regions.insert(region);
    if (literal(metadata, "slipway-role") == "controller") {
      add_controllers(machines, name, cluster);
    }
  }
  add_marks(documents, clusters);
}

}  // namespace slipway::apply
