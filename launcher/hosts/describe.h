// Describes a machine that no blueprint made, from what it says about itself: `slipway node
// describe`.
//
// Every value of the node profile has its origin: a file of /sys, NVML, Slurm's configuration, a
// row of the catalogue. What cannot be found out stays empty or is an error, never a guess.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "common/node_profile.h"
#include "launcher/cluster/catalogue.h"
#include "launcher/health/gpus.h"
#include "launcher/health/machine.h"
#include "launcher/hosts/hardware_table.h"

namespace slipway::hosts {

// NodeProfile::target of machines that described themselves.
inline constexpr const char* target_name = "hosts";

// What the user says, instead of what would be found. Empty: found.
struct Wishes {
  std::string cluster;  // Slurm's ClusterName; found in slurm.conf
  std::string node;     // Slurm's NodeName; the host name up to the first dot
  std::string role = "compute";
  std::string transport;  // a row of transports.yaml
};

// What cannot be read from files, so that tests can describe recorded machines.
struct Answers {
  std::string host_name;
  health::Gpus nvml;
  // The IPv4 address of an interface with prefix length, or "".
  std::function<std::string(const std::string& interface)> address;
};

struct Description {
  NodeProfile profile;
  std::vector<std::string> warnings;  // what the user should know before using the profile
  // The machine has less than its type: a profile would make a fault look right.
  std::vector<std::string> missing;
};

// The catalogue and the rest of what describe() compares with.
struct Knowledge {
  const cluster::Catalogue& catalogue;
  const HardwareTable& hardware;
};

enum class AskNvml { yes, no };

// What this machine answers. NVML may take some seconds; without it, the PCI bus shows the GPUs.
Answers ask_this_machine(AskNvml ask = AskNvml::yes);

// Of a recorded machine: only its name, from its /etc/hostname.
Answers no_answers(const std::filesystem::path& root);

// Throws Error if the cluster's name is not found.
Description describe(const health::Machine& machine, const Answers& answers,
                     const Knowledge& knowledge, const Wishes& wishes);

}  // namespace slipway::hosts
