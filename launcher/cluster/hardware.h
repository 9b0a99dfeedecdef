// The processors and memory that a machine sees, which follow from its type and from what the
// blueprint hides of it.
#pragma once

#include <cstdint>
#include <string>

#include "launcher/cluster/catalogue.h"
#include "launcher/cluster/model.h"

namespace slipway::cluster {

// As `slurmd -C` prints them on the machine.
struct Hardware {
  int64_t sockets = 0;
  int64_t cores_per_socket = 0;
  int64_t threads_per_core = 0;
  int64_t memory_mib = 0;  // what an operating system sees, with a reserve

  int64_t cpus() const { return sockets * cores_per_socket * threads_per_core; }
};

// What `spec` leaves of a machine of this type. Visible cores that do not divide by the sockets are
// in one.
Hardware hardware_of(const MachineType& machine, const MachineSpec& spec);

// Why the cloud would refuse to make such a machine, or "".
std::string hardware_problem(const MachineType& machine, const MachineSpec& spec);

}  // namespace slipway::cluster
