// Computes what a deployment needs from projects, module by module and resource by resource.
#include "launcher/google/project_needs.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/text.h"
#include "launcher/google/terraform_value.h"

namespace slipway::google {
namespace {

// A string that is known before the deployment; empty otherwise.
std::string known_text(const Json& body, const char* key) {
  const auto found = body.find(key);
  if (found == body.end() || !found->is_string()) return {};
  const auto& value = found->get_ref<const std::string&>();
  return value.find("${") == value.npos ? value : std::string();
}

bool makes_machines(std::string_view type) {
  return type.starts_with("google_compute_instance");
}

class NeedsOfCloud {
 public:
  NeedsOfCloud(blueprint::Evaluation& evaluation, const Definitions& definitions,
               const ServiceTable& table)
      : evaluation_(evaluation), definitions_(definitions), table_(table) {
    if (const auto* project = evaluation_.variable("project_id").as<std::string>()) {
      needs_.project = *project;
    }
    if (!needs_.project.empty()) add(needs_.project, table_.always);
    for (const blueprint::Group& group : evaluation_.deployment().groups) {
      for (const blueprint::Module& module : group.modules) read_module(module);
    }
    for (const File& file : definitions.files) {
      if (file.path.ends_with(".tf.json")) read_file(Json::parse(file.text));
    }
  }

  CloudNeeds take() {
    needs_.not_checked.assign(unknown_.begin(), unknown_.end());
    for (const ImageNeed& image : built_) needs_.images.erase(image);
    return std::move(needs_);
  }

 private:
  void add(const std::string& project, const ServiceRow& row) {
    ProjectNeeds& needs = needs_.projects[project];
    needs.services.insert(row.service);
    for (const std::string& permission : row.permissions) {
      needs.permissions.emplace(permission, row.role);
    }
  }

  void add(const std::string& project, const ServiceTable::Rows& rows) {
    for (const auto& [word, row] : rows) add(project, row);
  }

  // The value of an input; null if the module has no such input.
  const expression::Value* input(const blueprint::Module& module, const std::string& name) {
    if (module.interface == nullptr || module.interface->input(name) == nullptr) return nullptr;
    return &evaluation_.input(module, name);
  }

  std::string text(const blueprint::Module& module, const std::string& name) {
    const expression::Value* value = input(module, name);
    const auto* known = value == nullptr ? nullptr : value->as<std::string>();
    return known == nullptr ? std::string() : *known;
  }

  std::vector<std::string> zones_of(const blueprint::Module& module) {
    std::vector<std::string> zones;
    if (std::string zone = text(module, "zone"); !zone.empty()) zones.push_back(std::move(zone));
    const expression::Value* value = input(module, "zones");
    const auto* more = value == nullptr ? nullptr : value->as<expression::Value::List>();
    for (const auto& other : more != nullptr ? *more : expression::Value::List()) {
      if (const auto* name = other.as<std::string>()) zones.push_back(*name);
    }
    return zones;
  }

  void read_module(const blueprint::Module& module) {
    std::string project = text(module, "project_id");
    if (project.empty()) project = needs_.project;
    const std::string type = text(module, "machine_type");
    for (const std::string& zone : zones_of(module)) {
      needs_.zones.emplace(project, zone);
      if (!type.empty()) needs_.machines.insert({project, zone, type});
    }
    read_reservation(module, project, type);
    if (module.kind == "packer") {
      std::string family = text(module, "image_family");
      if (family.empty()) family = definitions_.deployment;
      built_.insert({project, std::move(family), ""});
      add(project, table_.machines);
    }
  }

  void read_reservation(const blueprint::Module& module, const std::string& project,
                        const std::string& type) {
    for (const bool is_future : {false, true}) {
      const std::string given = text(module, is_future ? "future_reservation" : "reservation_name");
      if (given.empty()) continue;
      const ReservationName name = reservation_name(given, project);
      needs_.reservations.push_back({name.project,
                                     name.zone.empty() ? text(module, "zone") : name.zone,
                                     name.name, type, machines_of(module), is_future, module.id});
    }
  }

  int64_t machines_of(const blueprint::Module& module) {
    const auto nodes = definitions_.nodes.find(module.id);
    if (nodes == definitions_.nodes.end()) return 0;
    return nodes->second.always_on + nodes->second.on_demand;
  }

  void read_file(const Json& file) {
    if (const auto types = file.find("resource"); types != file.end()) {
      for (const auto& [type, named] : types->items()) {
        for (const auto& [name, body] : named.items()) read_resource(type, body);
      }
    }
    const auto data = file.find("data");
    if (data == file.end() || !data->contains("google_compute_image")) return;
    for (const auto& [name, body] : data->at("google_compute_image").items()) {
      ImageNeed image{known_text(body, "project"), known_text(body, "family"),
                      known_text(body, "name")};
      if (!image.project.empty() && image.family.empty() != image.name.empty()) {
        needs_.images.insert(std::move(image));
      }
    }
  }

  void read_resource(const std::string& type, const Json& body) {
    if (!type.starts_with("google_")) return;
    std::string project = known_text(body, "project");
    if (project.empty()) project = needs_.project;
    if (project.empty()) return;
    if (makes_machines(type)) add(project, table_.machines);
    const auto row = table_.resources.find(type);
    if (row != table_.resources.end()) {
      add(project, row->second);
    } else if (!makes_machines(type)) {
      unknown_.insert(type);
    }
  }

  blueprint::Evaluation& evaluation_;
  const Definitions& definitions_;
  const ServiceTable& table_;
  CloudNeeds needs_;
  std::set<ImageNeed> built_;
  std::set<std::string> unknown_;
};

}  // namespace

ReservationName reservation_name(const std::string& text, const std::string& own_project) {
  const std::vector<std::string> parts = split(text, '/');
  ReservationName found{own_project, "", parts.empty() ? "" : parts[0]};
  for (size_t i = 0; i + 1 < parts.size(); i += 2) {
    if (parts[i] == "projects") found.project = parts[i + 1];
    if (parts[i] == "zones") found.zone = parts[i + 1];
    if (parts[i] == "reservations" || parts[i] == "futureReservations") found.name = parts[i + 1];
  }
  return found;
}

CloudNeeds cloud_needs(blueprint::Evaluation& evaluation, const Definitions& definitions,
                       const ServiceTable& services) {
  return NeedsOfCloud(evaluation, definitions, services).take();
}

}  // namespace slipway::google
