// Where in its data center each node's machine is: a file on the controller, which `slipway node
// resume` and `suspend` keep up to date and from which Slurm's topology can be made.
//
//   {"c-gpu-0": "/2f0a…/b1c8…/77de…", "c-gpu-1": "…"}    /CLUSTER/RACK/HOST, opaque names of
//   Google's
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace slipway::node {

inline constexpr const char* physical_hosts_path = "/var/lib/slipway/physical-hosts.json";

using PhysicalHosts = std::map<std::string, std::string>;  // by name of the node

// Makes the file, if it does not exist, for SlurmUser, who may change it but not replace it. As
// root. Throws Error.
void prepare_physical_hosts();

// Removes the nodes `gone` and adds those of `found`. Programs that do so at the same time wait for
// each other. Throws Error.
void record_physical_hosts(const PhysicalHosts& found, const std::vector<std::string>& gone,
                           const std::filesystem::path& path = physical_hosts_path);

// What the file says: nothing if it does not exist or is not valid. Slurm's user can write it: do
// not believe it more than that.
PhysicalHosts read_physical_hosts(const std::filesystem::path& path = physical_hosts_path);

}  // namespace slipway::node
