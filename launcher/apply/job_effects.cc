// Says what a change of a deployed cluster does to the jobs that run on it.
#include "launcher/apply/job_effects.h"

#include <fmt/core.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "common/count.h"
#include "common/error.h"
#include "common/json.h"
#include "common/replacement.h"

namespace slipway::apply {
namespace {

using Json = nlohmann::ordered_json;

std::string string_at(const Json& object, const char* key) {
  if (!object.is_object()) return "";
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

Json object_at(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_object() ? *found : Json::object();
}

// A resource of the plan that exists now.
struct Existing {
  std::string type, name;
  Json before;
  bool goes = false;     // deleted or replaced
  bool returns = false;  // replaced
  bool changes = false;  // in any way
};

std::vector<Existing> existing_in(const Json& plan) {
  std::vector<Existing> resources;
  for (const Json& resource : plan.value("resource_changes", Json::array())) {
    const Json change = object_at(resource, "change");
    Existing one{string_at(resource, "type"), string_at(resource, "name"),
                 object_at(change, "before")};
    for (const Json& action : change.value("actions", Json::array())) {
      one.goes |= action == "delete";
      one.returns |= action == "create";
      one.changes |= action != "no-op" && action != "read";
    }
    if (!one.before.empty()) resources.push_back(std::move(one));
  }
  return resources;
}

// Number of static nodes by nodeset, from the cluster.json that is deployed; nothing if there is
// none.
std::optional<std::map<std::string, int>> static_nodes(const std::vector<Existing>& resources) {
  for (const Existing& one : resources) {
    const std::string content = string_at(one.before, "content");
    if (one.type != "google_storage_bucket_object" ||
        content.find("slipway/cluster/1") == content.npos) {
      continue;
    }
    std::map<std::string, int> counts;
    try {
      const nlohmann::json cluster = parse_json(content);
      for (const auto& [name, nodeset] : cluster.at("nodesets").items()) {
        counts[name] = nodeset.value("static", 0);
      }
    } catch (const std::exception&) {
      // Written by something else, or by an older version: the nodesets are not known.
    }
    return counts;
  }
  return std::nullopt;
}

// The Slurm name of a nodeset, from its template: "c-gpu-" of its machines' names, or the label.
std::string nodeset_of(const Existing& made) {
  const std::string label = string_at(object_at(made.before, "labels"), "slipway-nodeset");
  return label.empty() ? string_at(object_at(made.before, "metadata"), "slipway-group") : label;
}

std::string effect_of_template(const Existing& made, const std::map<std::string, int>& counts) {
  const std::string name = nodeset_of(made);
  if (!made.returns) {
    return fmt::format("nodeset {}: removed; its machines go when the jobs on them have ended",
                       name);
  }
  const auto count = counts.find(name);
  const int nodes = count == counts.end() ? 0 : count->second;
  const std::string dynamic = "dynamic nodes change when they start the next time";
  if (nodes == 0) return fmt::format("nodeset {}: {}", name, dynamic);
  return fmt::format(
      "nodeset {}: {} new machines, at most {} at a time, idle ones first; jobs on them end "
      "before; {}",
      name, counted(nodes, "static node") + (nodes == 1 ? " gets" : " get"),
      replaced_at_once(nodes), dynamic);
}

std::string effect_of(const Existing& one, const std::map<std::string, int>& counts) {
  const std::string role = string_at(object_at(one.before, "metadata"), "slipway-role");
  if (one.type == "google_compute_instance_template" && one.goes && role == "compute") {
    return effect_of_template(one, counts);
  }
  const std::string name = string_at(one.before, "name");
  if (one.type == "google_compute_instance_from_template" && one.goes) {
    if (name.ends_with("-controller")) {
      return fmt::format("{}: {}; running jobs go on, and Slurm's commands fail until it is back",
                         name, one.returns ? "made again" : "removed");
    }
    return fmt::format("{}: {}; what runs on it ends", name,
                       one.returns ? "made again" : "removed");
  }
  const bool stores = one.type == "google_filestore_instance" ||
                      one.type == "google_lustre_instance" || one.type == "google_storage_bucket";
  if (stores && one.goes) return fmt::format("{}: everything stored on it is lost", name);
  return "";
}

bool changes_slurm(const Existing& one) {
  return one.type == "google_storage_bucket_object" && one.changes &&
         string_at(one.before, "name").find("/slurm/") != std::string::npos;
}

}  // namespace

std::vector<std::string> effects_on_jobs(const Json& plan) {
  const std::vector<Existing> resources = existing_in(plan);
  const auto counts = static_nodes(resources);
  if (!counts) return {};
  std::vector<std::string> effects;
  bool new_configuration = false;
  for (const Existing& one : resources) {
    const std::string effect = effect_of(one, *counts);
    if (!effect.empty()) effects.push_back(effect);
    new_configuration |= changes_slurm(one);
  }
  if (new_configuration) {
    effects.emplace_back(
        "slurmctld takes a new configuration within minutes, with a restart if it needs one; "
        "running jobs go on");
  }
  if (effects.empty()) effects.emplace_back("no effect on running jobs");
  return effects;
}

}  // namespace slipway::apply
