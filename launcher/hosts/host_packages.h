// Which packages a machine needs: the catalogue's host_packages.yaml, and what the machine has.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "launcher/hosts/ssh.h"

namespace slipway::hosts {

struct PackageTable {
  struct Family {
    std::string name;
    std::vector<std::string> of;         // ID or ID_LIKE of os-release
    std::string query, update, install;  // shell commands; $* are packages or files
    std::string ending;                  // of package files
    std::map<std::string, std::vector<std::string>> packages;  // by role, and "all"
    std::vector<std::string> slipway;                          // "slipway-slurm{slurm}"
  };
  std::vector<Family> families;
  std::vector<std::string> programs;  // where Slipway's program may be
};

// Throws Error with all mistakes.
PackageTable load_package_table(const std::filesystem::path& catalogue);

// What a machine has before anything is installed.
struct Inventory {
  std::string os;                                // "Debian GNU/Linux 12 (bookworm)"
  std::string codename;                          // "bookworm"; empty without one
  const PackageTable::Family* family = nullptr;  // of the table; null if it is not known
  std::string slipway;                           // path of the program; empty if it is not there
  std::string slurm;                             // release, "22.05"; empty if Slurm is not there
  std::vector<std::string> missing;              // packages of the role, without Slipway's
};

// Asks a machine what it has. `problem` says why it did not answer; then the rest is empty.
Inventory take_inventory(const PackageTable& table, const Ssh& ssh, const std::string& address,
                         const std::string& role, RemoteAnswer& answer);

// What will be installed on a machine, for the user; empty if it has everything.
std::vector<std::string> wanted_packages(const Inventory& inventory);

// Installs what is missing: first Slurm, which decides the package of Slipway's plugins. Slipway's
// packages come from `folder` (or its subfolder of the machine's release), or, if that is empty,
// from the machine's own package sources. Returns the first problem; empty if there is none.
RemoteAnswer install_packages(const Inventory& inventory, const Ssh& ssh,
                              const std::string& address, const std::filesystem::path& folder);

}  // namespace slipway::hosts
