// Computes what a machine sees of its type's hardware.
#include "launcher/cluster/hardware.h"

#include <fmt/core.h>

namespace slipway::cluster {
namespace {

// The memory that an operating system sees of what is sold: 400 MiB and 30 MiB per GiB less, by the
// rule of slurm-gcp v6 (template_machine_conf).
int64_t real_memory_mib(int64_t memory_mib) {
  return memory_mib - (400 + 30 * (memory_mib / 1024));
}

}  // namespace

Hardware hardware_of(const MachineType& machine, const MachineSpec& spec) {
  Hardware hardware{machine.sockets, machine.cores_per_socket, machine.threads_per_core,
                    real_memory_mib(machine.memory_mib)};
  if (spec.threads_per_core > 0) hardware.threads_per_core = spec.threads_per_core;
  if (const int64_t cores = spec.visible_core_count; cores > 0) {
    if (cores % hardware.sockets != 0) hardware.sockets = 1;
    hardware.cores_per_socket = cores / hardware.sockets;
  }
  return hardware;
}

std::string hardware_problem(const MachineType& machine, const MachineSpec& spec) {
  if (spec.threads_per_core > machine.threads_per_core) {
    return fmt::format("`threads_per_core` is {}, but a core of a `{}` has one thread",
                       spec.threads_per_core, machine.name);
  }
  const int64_t cores = machine.sockets * machine.cores_per_socket;
  if (spec.visible_core_count > cores) {
    return fmt::format("`visible_core_count` is {}, but a `{}` has only {} cores",
                       spec.visible_core_count, machine.name, cores);
  }
  return {};
}

}  // namespace slipway::cluster
