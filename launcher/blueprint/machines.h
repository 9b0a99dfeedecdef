// `machines` of a blueprint or a deployment file: the hosts that a cluster runs on, if they exist
// already. docs/start/own-machines.md
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/source/sources.h"

namespace slipway::blueprint {

// A machine that exists.
struct Host {
  std::string name;     // its host name up to the first dot: Slurm's NodeName
  std::string address;  // where ssh and Slurm reach it: "gpu001.example.org"

  bool operator==(const Host&) const = default;
};

// The hosts of one module, in the order of the module's machines.
struct HostsOfModule {
  std::string module;  // its id
  source::Span span;   // of the id
  std::vector<Host> hosts;
};

// How `ssh` reaches all of them; what is empty is left to ~/.ssh/config.
struct SshAccess {
  std::string user;  // root, or a user that may run everything with `sudo -n`
  int64_t port = 0;
  std::string identity_file;
  std::vector<std::string> options;  // of `ssh -o`: "StrictHostKeyChecking=yes"
};

struct Machines {
  source::Span span;
  SshAccess ssh;
  std::string packages;  // folder with Slipway's packages; empty: hosts have them, or their
                         // package sources
  source::Span packages_span;
  std::vector<HostsOfModule> modules;

  // Those of a module; nullptr if it has none.
  const HostsOfModule* of(std::string_view module) const {
    const auto found = std::ranges::find(modules, module, &HostsOfModule::module);
    return found == modules.end() ? nullptr : &*found;
  }
};

}  // namespace slipway::blueprint
