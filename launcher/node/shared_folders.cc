// Shares folders of the controller over NFS.
#include "launcher/node/shared_folders.h"

#include <fmt/core.h>

#include <filesystem>
#include <set>

#include "common/error.h"
#include "common/file.h"
#include "common/process.h"
#include "common/text.h"
#include "launcher/node/service.h"

namespace slipway::node {
namespace {

namespace fs = std::filesystem;

constexpr const char* exports_path = "/etc/exports.d/slipway.exports";
constexpr const char* exportfs = "/usr/sbin/exportfs";

// Whether exports(5) takes it without quotes, and it stays below no other folder by "..".
bool is_plain_folder(const std::string& folder) {
  return folder.size() > 1 && folder[0] == '/' && folder.find("..") == folder.npos &&
         folder.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
             "/._-") == folder.npos;
}

}  // namespace

std::vector<std::string> folders_to_share(const ClusterFile& cluster, const MachineMetadata& self) {
  std::set<std::string> folders;
  const auto add = [&](const std::vector<NetworkStorage>& mounts) {
    for (const NetworkStorage& one : mounts) {
      if (!one.is_nfs() || server_of(one, cluster) != self.name) continue;
      if (!is_plain_folder(one.remote)) {
        throw Error(
            fmt::format("cannot share `{}`: its path is not absolute and plain", one.remote));
      }
      folders.insert(one.remote);
    }
  };
  if (self.role != "controller") return {};
  add(cluster.mounts);
  add(cluster.login_mounts);
  for (const auto& [name, nodeset] : cluster.nodesets) add(nodeset.mounts);
  return {folders.begin(), folders.end()};
}

std::string exports_text(const std::vector<std::string>& folders) {
  std::string text = "# Written by `slipway node boot`\n";
  for (const std::string& folder : folders) {
    text += fmt::format("{} *(rw,sync,no_subtree_check,no_root_squash)\n", folder);
  }
  return text;
}

void share_folders(const std::vector<std::string>& folders, const Say& say) {
  if (folders.empty() && !fs::exists(exports_path)) return;
  if (!fs::exists(exportfs)) {
    throw Error(
        "this image has no NFS server, so the controller cannot share folders: build the image "
        "again, or set `enable_default_mounts: false`");
  }
  for (const std::string& folder : folders) make_directories(folder);
  if (write_changed(exports_path, exports_text(folders)) && !folders.empty()) {
    say(fmt::format("sharing {} with the cluster's machines", join(folders, ", ")));
  }
  // Without this file, exportfs shares everything and then says that it failed.
  if (!fs::exists("/etc/exports")) write_file("/etc/exports", "");
  if (has_systemd()) {
    run_checked({"/bin/systemctl", "start", "nfs-server.service"});
  }
  run_checked({exportfs, "-ra"});
}

}  // namespace slipway::node
