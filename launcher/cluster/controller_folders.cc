// Adds folders that the controller serves to the cluster model.
#include "launcher/cluster/controller_folders.h"

#include <algorithm>

#include "common/text.h"
#include "launcher/blueprint/storage_check.h"
#include "launcher/expression/functions.h"

namespace slipway::cluster {
namespace {

using expression::Value;

// A text or null; nothing if it is unknown.
std::optional<std::string> known_text(const Value::Object& entry, std::string_view name) {
  const auto found = entry.find(name);
  if (found == entry.end() || found->second.is_null()) return "";
  return expression::text_of(found->second);
}

const MountedFileSystem* mounted_at(const MachineSpec& machine, const std::string& path) {
  const auto found = std::ranges::find(machine.file_systems, path, &MountedFileSystem::mount);
  return found == machine.file_systems.end() ? nullptr : &*found;
}

// The id of the file system that the controller has in a folder, which is made if it has none.
std::string shared_folder(Cluster& cluster, const std::string& folder) {
  if (const MountedFileSystem* there = mounted_at(cluster.controller.machine, folder)) {
    return there->id;
  }
  // One folder in another is that on the controller's disk, too.
  const std::string id = cluster.controller.id + folder;
  cluster.file_systems.push_back({id, "nfs", folder, 0, ""});
  cluster.controller.machine.file_systems.push_back({id, folder});
  return id;
}

struct Folder {
  std::string path;   // on the controller
  std::string mount;  // where a machine mounts it
};
using Folders = std::vector<Folder>;

Folders controller_folders(const ModelPart& part, std::string_view field) {
  Folders folders;
  const Value::List* entries = part.list(field);
  if (entries == nullptr) return folders;
  for (const Value& value : *entries) {
    const auto* entry = value.as<Value::Object>();
    if (entry == nullptr) continue;
    const auto kind = known_text(*entry, "fs_type");
    const auto server = known_text(*entry, "server_ip");
    const std::string remote = without_end_slash(known_text(*entry, "remote_mount").value_or(""));
    const std::string mount = without_end_slash(known_text(*entry, "local_mount").value_or(""));
    const bool is_ours =
        (kind == "nfs" || kind == "nfs4") && (server == "" || server == "$controller");
    if (!is_ours || !blueprint::mount_problem(remote).empty() ||
        !blueprint::mount_problem(mount).empty()) {
      continue;
    }
    folders.push_back({remote, mount});
  }
  return folders;
}

void mount_on(MachineSpec& machine, const Folders& folders, Cluster& cluster) {
  for (const auto& [folder, mount] : folders) {
    const std::string id = shared_folder(cluster, folder);
    if (mounted_at(machine, mount) == nullptr) machine.file_systems.push_back({id, mount});
  }
}

}  // namespace

void mount_controller_folders(const ModelPart& controller, const std::vector<ModelPart>& nodesets,
                              Cluster& cluster) {
  const Folders everywhere = controller_folders(controller, "storage");
  const Folders on_logins = controller_folders(controller, "login_storage");
  // The more specific settings win.
  for (Nodeset& nodeset : cluster.nodesets) {
    const auto part = std::ranges::find(
        nodesets, nodeset.id, [](const ModelPart& one) -> auto& { return one.module().id; });
    if (part != nodesets.end()) {
      mount_on(nodeset.machine, controller_folders(*part, "storage"), cluster);
    }
    mount_on(nodeset.machine, everywhere, cluster);
  }
  for (Login& login : cluster.logins) {
    mount_on(login.machine, on_logins, cluster);
    mount_on(login.machine, everywhere, cluster);
  }
}

}  // namespace slipway::cluster
