// Fetches the cluster's files from its bucket.
#include "launcher/node/cluster_files.h"

#include <fmt/core.h>

#include <filesystem>

#include "common/error.h"
#include "common/file.h"
#include "common/sha256.h"
#include "launcher/node/machine.h"
#include "launcher/node/slurm_files.h"

namespace slipway::node {

std::string profile_file(const MachineMetadata& self) {
  return fmt::format("machines/{}.json", self.group);
}

std::map<std::string, std::string> digests_in(const ClusterFile& cluster, std::string_view folder) {
  std::map<std::string, std::string> digests;
  for (const auto& [name, digest] : cluster.files) {
    if (!name.starts_with(folder)) continue;
    const std::string own = name.substr(folder.size());
    const bool leaves = own.empty() || own.find('/') != own.npos || own[0] == '.';
    if (folder == slurm_folder && leaves) {
      throw Error(fmt::format("`{}` is not a Slurm configuration file", name));
    }
    digests[own] = digest;
  }
  return digests;
}

std::string fetch_file(const Patience& patience, Cloud& cloud, const MachineMetadata& self,
                       const ClusterFile& cluster, const std::string& name) {
  const auto file = cluster.files.find(name);
  if (file == cluster.files.end()) {
    throw Error(fmt::format("the cluster `{}` has no file {}", cluster.cluster, name));
  }
  const std::string path = self.folder + "/" + name;
  return persist(patience, fmt::format("gs://{}/{}", self.bucket, path), [&] {
    std::string text = cloud.object(self.bucket, path);
    if (sha256(text) != file->second) throw NotYet("its content does not match cluster.json");
    return text;
  });
}

std::map<std::string, std::string> fetch_folder(const Patience& patience, Cloud& cloud,
                                                const MachineMetadata& self,
                                                const ClusterFile& cluster,
                                                std::string_view folder) {
  std::map<std::string, std::string> files;
  for (const auto& [name, digest] : digests_in(cluster, folder)) {
    files[name] = fetch_file(patience, cloud, self, cluster, std::string(folder) + name);
  }
  if (folder == slurm_folder) suit_slurm_files(files, installed_slurm());
  return files;
}

std::map<std::string, std::string> installed_files(
    const std::map<std::string, std::string>& names) {
  std::map<std::string, std::string> files;
  for (const auto& [name, content] : names) {
    const std::filesystem::path path = std::filesystem::path(installed_folder) / name;
    if (std::filesystem::exists(path)) files[name] = read_file(path);
  }
  return files;
}

bool install_files(const std::map<std::string, std::string>& files) {
  bool changed = false;
  for (const auto& [name, content] : files) {
    changed = write_changed(std::filesystem::path(installed_folder) / name, content) || changed;
  }
  return changed;
}

}  // namespace slipway::node
