// Writes Slurm's part of the definitions.
#include "launcher/google/slurm.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "common/sha256.h"
#include "launcher/cluster/accounting.h"
#include "launcher/cluster/check.h"
#include "launcher/cluster/model_part.h"
#include "launcher/cluster/node_profiles.h"
#include "launcher/cluster/slurm_conf.h"
#include "launcher/cluster/slurm_nodes.h"

namespace slipway::google {
namespace {

using expression::Value;

// Where Cluster Toolkit has the scripts of a site, on the shared /opt/apps.
constexpr const char* external_scripts_folder = "/opt/apps/adm/slurm\n";

// The profile of a machine of the group, without its name and addresses, which it queries from the
// metadata server when it starts.
NodeProfile profile(const std::string& role, const std::string& group,
                    const cluster::MachineSpec& machine, const cluster::Cluster& cluster,
                    const cluster::Catalogue& catalogue) {
  const cluster::ProfileSite site{"google", {}};
  return cluster::profile_of({"", role, group, machine}, cluster, catalogue, site);
}

// The cluster's files, by name in the bucket. Without `writes_files`, profiles are only checked.
std::map<std::string, std::string> files_of(const cluster::Cluster& cluster,
                                            const cluster::Catalogue& catalogue,
                                            bool writes_files) {
  std::map<std::string, std::string> files;
  for (auto& [name, text] : slurm_files(cluster, catalogue, cluster::google_slurm_site())) {
    files["slurm/" + name] = std::move(text);
  }
  files["controller/slurmdbd.conf"] = slurmdbd_conf(cluster, cluster::google_slurm_site());
  for (const auto& [name, text] : cluster.controller.scripts) files["scripts/" + name] = text;
  if (cluster.controller.external_scripts) files["scripts/external"] = external_scripts_folder;
  const auto add = [&](const std::string& role, const auto& group) {
    const NodeProfile checked = profile(role, group.id, group.machine, cluster, catalogue);
    files[fmt::format("machines/{}.json", group.id)] = writes_files ? to_json(checked) : "";
  };
  add("controller", cluster.controller);
  for (const cluster::Login& login : cluster.logins) add("login", login);
  for (const cluster::Nodeset& nodeset : cluster.nodesets) add("compute", nodeset);
  return files;
}

// Service accounts of machines, by a unique key.
struct Accounts {
  Value::Object all;    // may read the cluster's files and key
  Value::Object nodes;  // of compute nodes
  Value::Object made;   // created by modules of the blueprint, not named in it
};

// An account that several modules name gets one key: two equal grants are one in the cloud, so
// removing one of them would remove it for the other modules.
std::string key_of(const std::string& id, const Value& email) {
  if (const auto* known = email.as<std::string>()) return *known;
  const auto* unknown = email.as<expression::Unknown>();
  return unknown != nullptr && !unknown->module.empty() ? unknown->module : id;
}

Accounts accounts(Context& context, const cluster::Cluster& cluster,
                  const std::set<std::string>& machines) {
  Accounts accounts;
  for (const std::string& id : machines) {
    const blueprint::Module* module = context.deployment.find(id).module;
    const bool named = !context.evaluation.input(*module, "service_account_email").is_null();
    const Value& email = named ? context.evaluation.input(*module, "service_account_email")
                               : context.evaluation.output(*module, "machine_account");
    if (email.is_null()) continue;  // an existing instance template
    const std::string key = key_of(id, email);
    accounts.all.emplace(key, email);
    if (!named) accounts.made.emplace(key, email);
    if (std::ranges::find(cluster.nodesets, id, &cluster::Nodeset::id) != cluster.nodesets.end()) {
      accounts.nodes.emplace(key, email);
    }
  }
  return accounts;
}

// Adds the buckets of the scripts that a module's inputs have, by the modules that write the
// scripts.
void add_script_buckets(Context& context, const blueprint::Module& module,
                        std::initializer_list<const char*> inputs, Value::Object& buckets) {
  for (const char* name : inputs) {
    const auto setting = module.settings.find(name);
    if (setting == module.settings.end() || !setting->second.value) continue;
    expression::for_each_reference(
        setting->second.value, [&](const expression::Traversal& traversal, source::Span) {
          if (traversal.root != "module" || traversal.steps.empty()) return;
          const blueprint::Module* from = context.deployment.find(traversal.steps[0].name).module;
          if (from == nullptr || from->interface == nullptr || from->interface->foreign ||
              from->interface->output("script_bucket") == nullptr) {
            return;
          }
          buckets.emplace(from->id, context.evaluation.output(*from, "script_bucket"));
        });
  }
}

// The buckets of a machine's startup scripts. The controller's module may have that of all login
// nodes.
Value::Object script_buckets(Context& context, const blueprint::Module& module, bool is_login,
                             const blueprint::Module& controller) {
  Value::Object buckets;
  add_script_buckets(context, module, {"startup_script", "controller_startup_script"}, buckets);
  if (is_login) add_script_buckets(context, controller, {"login_startup_script"}, buckets);
  return buckets;
}

std::set<std::string> groups_of_machines(const cluster::Cluster& cluster) {
  std::set<std::string> ids{cluster.controller.id};
  for (const cluster::Login& login : cluster.logins) ids.insert(login.id);
  for (const cluster::Nodeset& nodeset : cluster.nodesets) ids.insert(nodeset.id);
  return ids;
}

// The node configuration with which dynamic nodes register with slurmctld, by module.
std::map<std::string, std::string> node_confs_of(const cluster::Cluster& cluster,
                                                 const cluster::Catalogue& catalogue) {
  std::map<std::string, std::string> node_confs;
  for (const cluster::Nodeset& nodeset : cluster.nodesets) {
    if (nodeset.feature.empty()) continue;
    node_confs[nodeset.id] = cluster::joining_node_conf(nodeset, catalogue);
  }
  return node_confs;
}

// Records the number of nodes, and warns of machines with an unused faster network.
void note_nodesets(Context& context, const cluster::Cluster& cluster,
                   const cluster::Catalogue& catalogue) {
  for (const cluster::Nodeset& nodeset : cluster.nodesets) {
    context.definitions.nodes[nodeset.id] = {nodeset.node_count_static,
                                             nodeset.node_count_dynamic_max};
    if (nodeset.machine.networks.size() != 1) continue;
    warn_missing_networks(
        catalogue.machine(nodeset.machine.machine_type), 1,
        cluster::place_of(*context.deployment.find(nodeset.id).module, "machine_type"),
        context.diagnostics);
  }
}

}  // namespace

void add_slurm(Context& context, const cluster::Cluster& cluster,
               const cluster::Catalogue& catalogue) {
  const auto [controller, group] = context.deployment.find(cluster.controller.id);
  Value::Object files, digests;
  for (auto& [name, text] : files_of(cluster, catalogue, context.writes_files)) {
    const std::string path = fmt::format("{}/{}", controller->id, name);
    std::string digest = context.writes_files ? sha256(text) : std::string();
    context.add(fmt::format("{}/{}", context.deployment.groups[group].name, path), std::move(text));
    files.emplace(name, path);
    digests.emplace(name, std::move(digest));
  }
  std::map<std::string, std::string> node_confs = node_confs_of(cluster, catalogue);
  std::map<std::string, Value::List> names;  // by module
  for (const cluster::Node& node : nodes(cluster)) names[node.group].emplace_back(node.name);
  note_nodesets(context, cluster, catalogue);
  const std::set<std::string> machines = groups_of_machines(cluster);
  const Accounts who = accounts(context, cluster, machines);
  const Value controller_name = names.at(controller->id).at(0);
  const Value& path = context.evaluation.output(*controller, "slurm_bucket_path");
  const Value& login_script = context.evaluation.output(*controller, "login_startup_script");
  std::set<std::string> logins;
  for (const cluster::Login& login : cluster.logins) logins.insert(login.id);
  for (const blueprint::Group& in : context.deployment.groups) {
    for (const blueprint::Module& module : in.modules) {
      const bool is_controller = &module == controller;
      const bool is_login = logins.contains(module.id);
      context.evaluation.provide_slurm(
          module,
          Value::Object{{"cluster", machines.contains(module.id) ? cluster.name : ""},
                        {"controller", controller_name},
                        {"path", path},
                        {"names", names[module.id]},
                        {"node_conf", node_confs[module.id]},
                        {"files", is_controller ? files : Value::Object()},
                        {"digests", is_controller ? digests : Value::Object()},
                        {"script_buckets", script_buckets(context, module, is_login, *controller)},
                        {"startup_script", is_login ? login_script : Value()},
                        {"accounts", is_controller ? who.all : Value::Object()},
                        {"node_accounts", is_controller ? who.nodes : Value::Object()},
                        {"made_accounts", is_controller ? who.made : Value::Object()}});
    }
  }
}

}  // namespace slipway::google
