// Builds the cluster model from a blueprint's Deployment.
#include "launcher/cluster/build.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "common/text.h"
#include "launcher/cluster/check.h"
#include "launcher/cluster/controller_folders.h"
#include "launcher/cluster/controller_settings.h"
#include "launcher/cluster/hosts.h"
#include "launcher/cluster/model_part.h"
#include "launcher/cluster/network_links.h"

namespace slipway::cluster {
namespace {

using expression::Value;
using source::Code;

// Far more than any cluster has, and small enough to add up without overflow.
constexpr int64_t most_nodes = 1'000'000;
constexpr int64_t most_gib = 1'000'000'000;
constexpr int64_t most_cores = 100'000;

using Parts = std::vector<ModelPart>;

// Models that are lists: the key that holds the list, and the kind of its items.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kinds_of_lists{
    {{"networks", "network"}, {"file_systems", "file_system"}}};

// The kind of part, or parts, that a module makes, from the shape of its model; "" if none.
std::string kind_of(const blueprint::Module& module) {
  const auto* model = module.interface != nullptr && module.interface->model
                          ? module.interface->model->as<expression::ObjectExpression>()
                          : nullptr;
  if (model == nullptr || model->items.size() != 1) return {};
  return expression::text_of(model->items[0].key->as<expression::Literal>()->value).value_or("");
}

class Builder {
 public:
  Builder(blueprint::Evaluation& evaluation, const Catalogue& catalogue,
          source::Diagnostics& diagnostics)
      : evaluation_(evaluation),
        deployment_(evaluation.deployment()),
        catalogue_(catalogue),
        diagnostics_(diagnostics) {}

  std::optional<Cluster> build() {
    collect();
    const ModelPart* controller = find_controller();
    cluster_.deployment = deployment_.name;
    for (const ModelPart& part : parts_["network"]) add_network(part);
    for (const ModelPart& part : parts_["file_system"]) add_file_system(part);
    // Before the partitions, which refer to nodesets by name, so that errors appear at the nodeset.
    for (const ModelPart& part : parts_["nodeset"]) add_nodeset(part);
    for (const ModelPart& part : parts_["partition"]) add_partition(part);
    for (const ModelPart& part : parts_["login"]) add_login(part);
    if (controller != nullptr) add_controller(*controller);
    if (deployment_.machines && controller != nullptr) {
      place_on_hosts(cluster_, *deployment_.machines, diagnostics_);
    }
    check_names();
    check(cluster_, deployment_, origins_, catalogue_, diagnostics_);
    if (diagnostics_.errors() > 0) return std::nullopt;
    return std::move(cluster_);
  }

 private:
  void collect() {
    for (const blueprint::Group& group : deployment_.groups) {
      for (const blueprint::Module& module : group.modules) {
        const std::string kind = kind_of(module);
        if (kind.empty()) continue;
        try {
          const Value model = evaluation_.evaluate_in(module, module.interface->model);
          const Value& fields = model.as<Value::Object>()->at(kind);
          if (const auto* object = fields.as<Value::Object>()) {
            parts_[kind].emplace_back(module, kind, *object, diagnostics_);
          } else if (const auto* list = fields.as<Value::List>()) {
            add_parts(module, kind, *list);
          }
        } catch (const expression::ExpressionError& error) {
          failed_ = true;
          evaluation_.report_in_module(module, module.interface->model, error);
        }
      }
    }
  }

  void add_parts(const blueprint::Module& module, const std::string& kind,
                 const Value::List& items) {
    const auto* found =
        std::ranges::find(kinds_of_lists, kind, [](const auto& k) { return k.first; });
    const std::string one(found->second);
    for (const Value& item : items) {
      parts_[one].emplace_back(module, one, *item.as<Value::Object>(), diagnostics_);
    }
  }

  const ModelPart* find_controller() {
    const Parts& controllers = parts_["controller"];
    if (controllers.size() > 1) {
      diagnostics_
          .error(Code::no_controller, controllers[1].module().id_span,
                 "a blueprint can have only one Slurm controller; this is the second")
          .other(controllers[0].module().id_span, "first defined here");
    }
    if (!controllers.empty()) return &controllers[0];
    if (failed_ || deployment_.groups.empty()) return nullptr;
    const auto is_missing = [](const blueprint::Group& group) {
      return std::any_of(
          group.modules.begin(), group.modules.end(),
          [](const blueprint::Module& module) { return module.interface == nullptr; });
    };
    // A module that could not be found may have been the controller.
    if (std::none_of(deployment_.groups.begin(), deployment_.groups.end(), is_missing)) {
      diagnostics_
          .error(Code::no_controller, deployment_.blueprint_name_span,
                 "there is no Slurm controller")
          .help("add a module of `community/modules/scheduler/schedmd-slurm-gcp-v6-controller`");
    }
    return nullptr;
  }

  // The id of a part: its module's id, with an index if the module makes several.
  std::string new_id(const ModelPart& part) {
    const std::string& module = part.module().id;
    std::vector<std::string>& ids = made_by_[module];
    const bool one_of_many = kind_of(part.module()) != part.kind();
    ids.push_back(one_of_many ? fmt::format("{}[{}]", module, ids.size()) : module);
    return ids.back();
  }

  void add_network(const ModelPart& part) {
    const std::string id = new_id(part);
    cluster_.networks.push_back({id, part.text_or("name", part.module().id), part.text("cidr"),
                                 part.integer("mtu_bytes", 0, 65535, "mtu")});
    origins_[id] = {part.module().id, part.text("at")};
  }

  void add_file_system(const ModelPart& part) {
    cluster_.file_systems.push_back(
        {new_id(part), part.text("kind"), without_end_slash(part.text("mount")),
         part.integer("size_gib", 0, most_gib, "size_gb"), part.module_id("network")});
  }

  // Only file systems that are in the model: a module without a model may make others.
  std::vector<MountedFileSystem> file_systems(const ModelPart& part, std::string_view field) {
    std::vector<MountedFileSystem> named = part.mounts(field);
    std::set<std::string> taken;
    for (MountedFileSystem& entry : named) {
      entry.mount = without_end_slash(entry.mount);
      const FileSystem* exact = mounted_at(entry);
      if (exact != nullptr) taken.insert(exact->id);
    }
    std::vector<MountedFileSystem> mounted;
    for (const MountedFileSystem& entry : named) {
      const FileSystem* found = mounted_at(entry);
      if (found == nullptr) found = next_of(entry.id, taken);
      if (found == nullptr) continue;
      mounted.push_back({found->id, entry.mount.empty() ? found->mount : entry.mount});
    }
    return mounted;
  }

  std::vector<const FileSystem*> file_systems_of(const std::string& module) const {
    std::vector<const FileSystem*> made;
    const auto ids = made_by_.find(module);
    if (ids == made_by_.end()) return made;
    for (const std::string& id : ids->second) {
      const auto row = std::ranges::find(cluster_.file_systems, id, &FileSystem::id);
      if (row != cluster_.file_systems.end()) made.push_back(&*row);
    }
    return made;
  }

  // Of a module's file systems, the one with the mount point of the entry.
  const FileSystem* mounted_at(const MountedFileSystem& entry) const {
    for (const FileSystem* made : file_systems_of(entry.id)) {
      if (made->mount == entry.mount) return made;
    }
    return nullptr;
  }

  // The first one that no entry has taken, which takes it; the last one if there is none.
  const FileSystem* next_of(const std::string& module, std::set<std::string>& taken) const {
    const FileSystem* last = nullptr;
    for (const FileSystem* made : file_systems_of(module)) {
      last = made;
      if (taken.insert(made->id).second) break;
    }
    return last;
  }

  MachineSpec machine(const ModelPart& part) {
    MachineSpec machine;
    machine.machine_type = part.text("machine_type");
    if (!deployment_.has_hosts(part.module().id))
      machine.networks = resolve(part.networks("networks"), made_by_, cluster_.networks);
    if (part.has("threads_per_core")) {
      machine.threads_per_core =
          part.integer("threads_per_core", 0, 2, "advanced_machine_features");
      machine.visible_core_count =
          part.integer("visible_core_count", 0, most_cores, "advanced_machine_features");
    }
    check_machine_type(part, machine.machine_type);
    return machine;
  }

  void check_machine_type(const ModelPart& part, const std::string& name) {
    if (part.is_empty_text("machine_type")) {
      diagnostics_.error(Code::unknown_machine_type, part.place("machine_type"),
                         "the machine type is empty");
    }
    if (name.empty() || !catalogue_.complete) return;
    const MachineType* type = catalogue_.find_machine(name);
    if (type == nullptr) {
      const std::string why = catalogue_.why_no_machine(name);
      diagnostics_
          .error(Code::unknown_machine_type, part.place("machine_type"),
                 why.empty() ? fmt::format("there is no machine type `{}` in the catalogue", name)
                             : fmt::format("there is no machine type `{}`: {}", name, why))
          .help(why.empty() ? source::did_you_mean(name, catalogue_.machine_types()) : "");
    } else if (type->assumed) {
      diagnostics_
          .warning(Code::machine_type_not_listed, part.place("machine_type"),
                   fmt::format("the catalogue does not list the machine type `{}`", name))
          .help(fmt::format("Slurm gets CPUs={} and {} MiB of memory, from its name; without GPUs. "
                            "If it has others, "
                            "write them to `node_conf` (CPUs, RealMemory) or add the type to "
                            "catalogue/machines.yaml",
                            type->cpus(), type->memory_mib));
    }
  }

  void add_partition(const ModelPart& part) {
    Partition partition{part.module().id,          part.text("name"),
                        part.texts("nodesets"),    part.boolean("is_default"),
                        part.boolean("exclusive"), part.text_map("partition_conf")};
    if (partition.nodesets.empty() && diagnostics_.errors() == 0) {
      diagnostics_
          .error(Code::partition_without_nodeset, part.module().id_span,
                 fmt::format("the partition `{}` has no nodes", partition.name))
          .help("`use` a nodeset");
    }
    cluster_.partitions.push_back(std::move(partition));
  }

  void add_nodeset(const ModelPart& part) {
    Nodeset nodeset;
    nodeset.id = part.module().id;
    nodeset.name = part.text("name");
    nodeset.machine = machine(part);
    nodeset.machine.file_systems = file_systems(part, "file_systems");
    if (part.has("feature")) {
      nodeset.feature = part.text("feature");
    } else {
      nodeset.node_count_static =
          part.integer("node_count_static", 0, most_nodes, "node_count_static");
      nodeset.node_count_dynamic_max =
          part.integer("node_count_dynamic_max", 0, most_nodes, "node_count_dynamic_max");
      nodeset.node_conf = part.text_map("node_conf");
    }
    cluster_.nodesets.push_back(std::move(nodeset));
  }

  void add_login(const ModelPart& part) {
    cluster_.logins.push_back({part.module().id, part.text("name"), machine(part),
                               part.integer("count", 0, most_nodes, "num_instances")});
  }

  // The controller decides which parts are in the cluster, and what all machines mount.
  void add_controller(const ModelPart& part) {
    cluster_.name = part.text("cluster_name");
    cluster_.controller.id = part.module().id;
    cluster_.controller.machine = machine(part);
    const std::vector<MountedFileSystem> everywhere = file_systems(part, "file_systems");
    cluster_.controller.machine.file_systems = everywhere;
    cluster_.controller.accounting = part.has("accounting") && part.boolean("accounting");
    if (part.has("health_policy")) cluster_.controller.health_policy = part.text("health_policy");
    if (part.has("private_tmp")) cluster_.controller.private_tmp = part.boolean("private_tmp");
    if (part.has("private_tmp_path")) {
      cluster_.controller.private_tmp_path = part.text("private_tmp_path");
    }
    if (part.has("containers")) cluster_.controller.containers = part.text("containers");
    if (part.has("monitoring")) cluster_.controller.monitoring = part.text("monitoring");
    read_slurm_settings(part, deployment_, diagnostics_, cluster_.controller);

    keep(cluster_.partitions, part.texts("partitions"));
    keep(cluster_.logins, part.texts("logins"));
    std::vector<std::string> nodesets;
    for (const Partition& partition : cluster_.partitions) {
      nodesets.insert(nodesets.end(), partition.nodesets.begin(), partition.nodesets.end());
    }
    keep(cluster_.nodesets, nodesets);

    for (Nodeset& nodeset : cluster_.nodesets) mount(nodeset.machine, everywhere);
    const std::vector<MountedFileSystem> on_logins = file_systems(part, "login_file_systems");
    for (Login& login : cluster_.logins) {
      mount(login.machine, everywhere);
      mount(login.machine, on_logins);
    }
    mount_controller_folders(part, parts_["nodeset"], cluster_);
  }

  template <class T>
  static void keep(std::vector<T>& parts, const std::vector<std::string>& names) {
    std::erase_if(parts, [&](const T& part) {
      return std::find(names.begin(), names.end(), part.name) == names.end();
    });
  }

  static void mount(MachineSpec& machine, const std::vector<MountedFileSystem>& file_systems) {
    for (const MountedFileSystem& file_system : file_systems) {
      auto& mounted = machine.file_systems;
      const bool has = std::find(mounted.begin(), mounted.end(), file_system) != mounted.end();
      if (!has) mounted.push_back(file_system);
    }
  }

  void check_names() {
    unique("nodesets", cluster_.nodesets);
    unique("partitions", cluster_.partitions);
    unique("login groups", cluster_.logins);
  }

  template <class T>
  void unique(std::string_view what, const std::vector<T>& parts) {
    std::map<std::string, const T*> seen;
    for (const T& part : parts) {
      const auto [first, fresh] = seen.emplace(part.name, &part);
      if (fresh || part.name.empty()) continue;
      const source::Span place = deployment_.find(part.id).module->id_span;
      const source::Span first_place = deployment_.find(first->second->id).module->id_span;
      diagnostics_
          .error(Code::two_of_one_name, place,
                 fmt::format("two {} would have the name `{}` in Slurm", what, part.name))
          .other(first_place == place ? source::Span() : first_place, "the first")
          .help(first_place == place ? "use `$(each.key)` in the name to tell instances apart"
                                     : "");
    }
  }

  blueprint::Evaluation& evaluation_;
  const blueprint::Deployment& deployment_;
  const Catalogue& catalogue_;
  source::Diagnostics& diagnostics_;
  std::map<std::string, Parts> parts_;
  std::map<std::string, std::vector<std::string>> made_by_;  // ids of parts by module
  NetworkOrigins origins_;
  bool failed_ = false;  // a part is missing because its module's model has no value
  Cluster cluster_;
};

}  // namespace

bool has_cluster(const blueprint::Deployment& deployment) {
  for (const blueprint::Group& group : deployment.groups) {
    for (const blueprint::Module& module : group.modules) {
      const std::string kind = kind_of(module);
      if (kind == "nodeset" || kind == "partition" || kind == "login" || kind == "controller")
        return true;
    }
  }
  return false;
}

std::optional<Cluster> build(blueprint::Evaluation& evaluation, const Catalogue& catalogue,
                             source::Diagnostics& diagnostics) {
  return Builder(evaluation, catalogue, diagnostics).build();
}

}  // namespace slipway::cluster
