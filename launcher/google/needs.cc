// Computes quota needs, resource by resource.
#include "launcher/google/needs.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>

#include "common/count.h"
#include "common/text.h"
#include "launcher/google/terraform_value.h"

namespace slipway::google {
namespace {

constexpr const char* compute = "compute.googleapis.com";

// A resource as Terraform will read it.
struct MadeResource {
  std::string group, module, type, name;
  Json body;
};

std::vector<MadeResource> resources_of(const Definitions& definitions) {
  std::vector<MadeResource> resources;
  for (const File& file : definitions.files) {
    const auto slash = file.path.find('/');
    if (!file.path.ends_with(".tf.json") || slash == std::string::npos) continue;
    const std::string group = file.path.substr(0, slash);
    const std::string module = file.path.substr(slash + 1, file.path.size() - slash - 9);
    const Json text = Json::parse(file.text);
    const auto types = text.find("resource");
    if (types == text.end()) continue;
    for (const auto& [type, named] : types->items()) {
      for (const auto& [name, body] : named.items()) {
        resources.push_back({group, module, type, name, body});
      }
    }
  }
  return resources;
}

// A known string; empty if it is an expression that only the deployment can evaluate.
std::string text(const Json& body, const char* key) {
  const auto found = body.find(key);
  if (found == body.end() || !found->is_string()) return {};
  const auto& value = found->get_ref<const std::string&>();
  return value.find("${") == value.npos ? value : std::string();
}

// A known number, which some of the provider's attributes have as a string: "36000"; 0 if it is
// none.
int64_t number(const Json& body, const char* key) {
  const auto found = body.find(key);
  if (found != body.end() && found->is_number()) return found->get<int64_t>();
  return to_number<int64_t>(text(body, key)).value_or(0);
}

// The blocks of a kind: in Terraform's JSON, an object for one and a list for several.
std::vector<Json> blocks(const Json& body, const char* key) {
  const auto found = body.find(key);
  if (found == body.end() || found->is_null()) return {};
  if (found->is_array()) return found->get<std::vector<Json>>();
  return {*found};
}

std::string region_of_zone(const std::string& zone) {
  return zone.substr(0, zone.rfind('-'));
}

std::string region_of(const Json& body) {
  if (const std::string region = text(body, "region"); !region.empty()) return region;
  for (const char* key : {"zone", "location"}) {
    if (const std::string zone = text(body, key); !zone.empty()) {
      // A location can be a zone or a region; a region has only one hyphen.
      return std::ranges::count(zone, '-') == 2 ? region_of_zone(zone) : zone;
    }
  }
  return {};
}

// nvidia-h100-mega-80gb has the family NVIDIA_H100_MEGA.
std::string gpu_family(std::string model) {
  if (const size_t memory = model.rfind('-'); model.ends_with("gb")) model.resize(memory);
  std::ranges::replace(model, '-', '_');
  std::ranges::transform(model, model.begin(), [](unsigned char c) { return std::toupper(c); });
  return model;
}

class Counter {
 public:
  Counter(const Definitions& definitions, const cluster::Catalogue& catalogue,
          const QuotaTable& quotas)
      : resources_(resources_of(definitions)), catalogue_(catalogue), quotas_(quotas) {
    for (const MadeResource& resource : resources_) count(resource);
    for (const auto& [module, counts] : definitions.nodes) count_nodes(module, counts);
  }

  Needs take() {
    Needs needs;
    for (auto& [key, need] : needs_) needs.quotas.push_back(std::move(need));
    needs.notes.assign(notes_.begin(), notes_.end());
    return needs;
  }

 private:
  struct Where {
    std::string region;
    std::string module;
    int64_t times = 1;
    bool on_demand = false;
  };

  void add(const Where& where, const std::string& service, const std::string& quota,
           const std::string& dimension, const std::string& unit, int64_t amount) {
    if (amount == 0 || where.times == 0) return;
    Need& need = needs_[{where.region, service, quota, dimension}];
    need.region = where.region;
    need.service = service;
    need.quota = quota;
    need.dimension = dimension;
    need.unit = unit;
    need.amount += amount * where.times;
    if (where.on_demand) need.on_demand += amount * where.times;
    need.modules.insert(where.module);
  }

  // What quotas.yaml says about the resource's type.
  void count_type(const Where& where, std::string_view type, const Json& body) {
    const Quota* quota = quotas_.find("resources", type);
    if (quota == nullptr) return;
    const int64_t amount = quota->amount.empty() ? 1 : number(body, quota->amount.c_str());
    if (quota->name.empty()) {
      note(where.module, fmt::format("{} {} of {}: the name of its quota is not known", amount,
                                     quota->unit, quota->about));
      return;
    }
    add({quota->per_project ? "" : where.region, where.module, where.times, where.on_demand},
        compute, quota->name, "", quota->unit, amount);
  }

  void count_used_address(const Where& where) { count_type(where, "address_in_use", {}); }

  void count(const MadeResource& resource) {
    const Json& body = resource.body;
    const Where here{region_of(body), resource.module};
    if (resource.type == "google_compute_instance") {
      count_machine(here, body);
    } else if (resource.type == "google_compute_instance_from_template") {
      if (const MadeResource* made_from = template_of(resource))
        count_machine(here, made_from->body);
    } else if (resource.type == "google_compute_disk") {
      count_disk(here, text(body, "type"), number(body, "size"), false);
    } else if (resource.type == "google_compute_address") {
      count_address(here, body);
    } else if (resource.type == "google_container_node_pool") {
      count_pool(resource);
    } else if (resource.type == "google_filestore_instance") {
      for (const Json& share : blocks(body, "file_shares")) {
        const Quota* quota = quotas_.find("filestore", text(body, "tier"));
        if (quota == nullptr) {
          note(resource.module,
               fmt::format("the quota for the tier `{}` is not known", text(body, "tier")));
          continue;
        }
        add(here, "file.googleapis.com", quota->name, "", "GiB", number(share, "capacity_gb"));
      }
    } else {
      count_type(here, resource.type, body);
    }
  }

  const MadeResource* template_of(const MadeResource& instance) const {
    const auto link = instance.body.find("source_instance_template");
    if (link == instance.body.end() || !link->is_string()) return nullptr;
    const auto& expression = link->get_ref<const std::string&>();
    const std::string before = "google_compute_instance_template.";
    const size_t at = expression.find(before);
    if (at == expression.npos) return nullptr;
    const std::string rest = expression.substr(at + before.size());
    return find(instance.group, rest.substr(0, rest.find_first_of(".[}")));
  }

  const MadeResource* find(const std::string& group, const std::string& name) const {
    const auto found = std::ranges::find_if(resources_, [&](const MadeResource& resource) {
      return resource.type == "google_compute_instance_template" && resource.name == name &&
             (group.empty() || resource.group == group);
    });
    return found == resources_.end() ? nullptr : &*found;
  }

  void count_nodes(const std::string& module, const NodeCounts& counts) {
    const MadeResource* made_from = find("", module);
    if (made_from == nullptr) return;
    const std::string region = region_of(made_from->body);
    if (counts.always_on > 0) {
      count_machine({region, module, counts.always_on, false}, made_from->body);
    }
    if (counts.on_demand > 0) {
      count_machine({region, module, counts.on_demand, true}, made_from->body);
    }
  }

  // The region, or the zone, of a GKE cluster that a pool names by an expression or an id.
  std::string place_of_cluster(const std::string& cluster) const {
    constexpr std::string_view locations = "/locations/";
    if (const size_t at = cluster.find(locations); at != cluster.npos) {
      const std::string rest = cluster.substr(at + locations.size());
      return rest.substr(0, rest.find('/'));
    }
    for (const MadeResource& resource : resources_) {
      if (resource.type == "google_container_cluster" &&
          cluster.find(resource.type + "." + resource.name + ".") != cluster.npos) {
        return text(resource.body, "location");
      }
    }
    return {};
  }

  // The machines of a GKE pool that are always there: their number is per zone, and a cluster of a
  // region has three zones unless the pool names others.
  void count_pool(const MadeResource& resource) {
    const Json& pool = resource.body;
    Json zones = pool.value("node_locations", Json::array());
    if (!zones.is_array()) zones = Json::array();  // only the deployment knows them
    const bool known = !zones.empty() && zones[0].is_string() &&
                       zones[0].get_ref<const std::string&>().find("${") == std::string::npos;
    const std::string place =
        known ? zones[0].get<std::string>() : place_of_cluster(pool.value("cluster", ""));
    if (place.empty()) return note(resource.module, "the region of its cluster is not known");
    const bool is_zone = std::ranges::count(place, '-') == 2;
    const int64_t in_zones = !zones.empty() ? static_cast<int64_t>(zones.size()) : is_zone ? 1 : 3;
    int64_t machines = number(pool, "node_count") * in_zones;
    for (const Json& limits : blocks(pool, "autoscaling")) {
      machines =
          number(limits, "total_min_node_count") + number(limits, "min_node_count") * in_zones;
      note(resource.module,
           fmt::format("grows by demand, but only {} are counted", counted(machines, "machine")));
    }
    for (Json machine : blocks(pool, "node_config")) {
      machine["disk"] = {{"disk_type", text(machine, "disk_type")},
                         {"disk_size_gb", number(machine, "disk_size_gb")}};
      if (machine.value("spot", Json()) == Json(true))
        machine["scheduling"] = {{"preemptible", true}};
      const Where where{is_zone ? region_of_zone(place) : place, resource.module, machines, false};
      count_machine(where, machine);
    }
  }

  void count_machine(const Where& where, const Json& body) {
    bool spot = false;
    for (const Json& scheduling : blocks(body, "scheduling")) {
      spot = spot || text(scheduling, "provisioning_model") == "SPOT" ||
             scheduling.value("preemptible", Json(false)) == Json(true);
    }
    count_type(where, "google_compute_instance", body);
    const std::string name = text(body, "machine_type");
    const cluster::MachineType* type = catalogue_.find_machine(name);
    if (type == nullptr) {
      note(where.module, name.empty() ? "its machine type is not known before deployment"
                                      : fmt::format("`{}` is not in the catalogue", name));
    } else {
      count_processors(where, *type, body, spot);
    }
    for (const char* kind : {"disk", "boot_disk", "attached_disk", "scratch_disk"}) {
      for (const Json& disk : blocks(body, kind)) count_disk_of_machine(where, kind, disk, spot);
    }
    for (const Json& nic : blocks(body, "network_interface")) {
      if (!blocks(nic, "access_config").empty()) count_used_address(where);
    }
  }

  void count_processors(const Where& where, const cluster::MachineType& type, const Json& body,
                        bool spot) {
    const std::string family = type.name.substr(0, type.name.find('-'));
    count_of(where, "cpus", family, gpu_family(family), type.cpus(), spot);
    count_of(where, "gpus", type.gpu_model, gpu_family(type.gpu_model), type.gpu_count, spot);
    if (type.gpu_count > 0) return;  // the machine type includes the accelerators
    for (const Json& gpus : blocks(body, "guest_accelerator")) {
      const std::string model = text(gpus, "type");
      count_of(where, "gpus", model, gpu_family(model), number(gpus, "count"), spot);
    }
  }

  void count_of(const Where& where, const char* what, const std::string& key,
                const std::string& family, int64_t amount, bool spot) {
    if (amount == 0) return;
    if (const Quota* all = quotas_.find("all_regions", what)) {
      add({"", where.module, where.times, where.on_demand}, compute, all->name, "", "", amount);
    }
    const Quota* quota = quotas_.find(what, key);
    if (quota == nullptr) {
      note(where.module, fmt::format("the quota for `{}` is not known", key));
      return;
    }
    const std::string dimension =
        quota->dimension.empty() ? "" : fmt::format("{}={}", quota->dimension, family);
    add(where, compute, spot ? quota->spot : quota->name, dimension, "", amount);
  }

  void count_disk_of_machine(const Where& where, const std::string& kind, const Json& disk,
                             bool spot) {
    if (kind == "attached_disk") return;  // a separate resource
    if (kind == "scratch_disk" || text(disk, "type") == "SCRATCH" ||
        text(disk, "disk_type") == "local-ssd") {
      count_disk(where, "local-ssd", 0, spot);
      return;
    }
    if (!text(disk, "source").empty()) return;
    Json parameters = disk;
    for (const Json& block : blocks(disk, "initialize_params")) parameters = block;
    const std::string type = text(parameters, kind == "disk" ? "disk_type" : "type");
    const int64_t size = number(parameters, kind == "disk" ? "disk_size_gb" : "size");
    if (size == 0 && parameters != disk) note(where.module, "a disk has the size of its image");
    count_disk(where, type, size, spot);
  }

  void count_disk(const Where& where, const std::string& type, int64_t gb, bool spot) {
    const Quota* quota = quotas_.find("disks", type.empty() ? "default" : type);
    if (quota == nullptr) return;
    add(where, compute, spot ? quota->spot : quota->name, "", "GB",
        quota->gb_each > 0 ? quota->gb_each : gb);
  }

  void count_address(const Where& where, const Json& body) {
    if (text(body, "address_type") == "INTERNAL") return;
    count_type(where, "google_compute_address", body);
    count_used_address(where);
  }

  void note(const std::string& module, const std::string& what) {
    notes_.insert(fmt::format("module `{}`: {}", module, what));
  }

  std::vector<MadeResource> resources_;
  const cluster::Catalogue& catalogue_;
  const QuotaTable& quotas_;
  std::map<std::tuple<std::string, std::string, std::string, std::string>, Need> needs_;
  std::set<std::string> notes_;
};

}  // namespace

Needs count_needs(const Definitions& definitions, const cluster::Catalogue& catalogue,
                  const QuotaTable& quotas) {
  return Counter(definitions, catalogue, quotas).take();
}

}  // namespace slipway::google
