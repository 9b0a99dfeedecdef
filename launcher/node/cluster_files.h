// The files of the cluster that a machine fetches from its bucket, checked against cluster.json.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "launcher/node/cloud.h"
#include "launcher/node/metadata.h"

namespace slipway::node {

inline constexpr std::string_view slurm_folder = "slurm/";      // becomes /etc/slurm
inline constexpr std::string_view scripts_folder = "scripts/";  // scripts around jobs
inline constexpr const char* database_file = "controller/slurmdbd.conf";
inline constexpr const char* installed_folder = "/etc/slurm";

// The name in the bucket's folder of the profile of a group's machines.
std::string profile_file(const MachineMetadata& self);

// The digests of the files in one folder, by their name in it. Throws Error for a Slurm
// file whose name leaves /etc/slurm.
std::map<std::string, std::string> digests_in(const ClusterFile& cluster, std::string_view folder);

// A file of the cluster, once its content has the digest that is in cluster.json: while a new
// configuration is being uploaded, old and new files are mixed. Throws Error.
std::string fetch_file(const Patience& patience, Cloud& cloud, const MachineMetadata& self,
                       const ClusterFile& cluster, const std::string& name);

// All files of a folder by their name in it. Slurm's are made to suit this machine's Slurm.
std::map<std::string, std::string> fetch_folder(const Patience& patience, Cloud& cloud,
                                                const MachineMetadata& self,
                                                const ClusterFile& cluster,
                                                std::string_view folder);

// Of Slurm's files, those that are installed, by name. `names` has what to look for as its keys.
std::map<std::string, std::string> installed_files(const std::map<std::string, std::string>& names);

// True if one of them was missing or different.
bool install_files(const std::map<std::string, std::string>& files);

}  // namespace slipway::node
