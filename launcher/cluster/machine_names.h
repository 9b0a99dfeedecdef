// Machine types that have no row of their own in machines.yaml: custom ones ("n2-custom-4-8192"),
// and those that are newer than the catalogue.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/cluster/machine_type.h"

namespace slipway::cluster {

// What machine types of one series share, whatever their size.
struct MachineSeries {
  MachineType shared;  // without a name, processors, memory and GPUs
  int64_t threads_per_core = 0;
  int64_t two_sockets_above = 0;  // vCPUs; 0: never
};

// The machine type of a series with this number of vCPUs; one vCPU is one thread. Empty if they do
// not divide into whole cores.
std::optional<MachineType> with_vcpus(const MachineSeries& series, int64_t vcpus);

// A series whose machines have any number of vCPUs and any memory within limits.
struct CustomMachines {
  MachineSeries series;
  std::set<std::string> names;  // "n2-custom"
  int64_t least_vcpus = 0;
  int64_t most_vcpus = 0;
  // Above so many vCPUs, their number is a multiple of the second.
  std::map<int64_t, int64_t> multiples;
  long double least_gib_per_vcpu = 0;
  long double most_gib_per_vcpu = 0;  // a name that ends in "-ext" may have more
};

// How the catalogue's machine types are found by name.
struct MachineTable {
  std::map<std::string, MachineType> rows;  // by name
  std::vector<CustomMachines> custom;
  std::optional<MachineSeries> unlisted;  // what is assumed of machine types that are not listed
};

// The machine type that `name` puts together. Empty if it does not have the shape or the limits of
// one; `why` then says what is wrong with it, or is empty if the name has another shape.
std::optional<MachineType> custom_machine(const MachineTable& table, std::string_view name,
                                          std::string& why);

// A machine type that is not listed, worked out from its name: <series>-<class>-<vCPUs>.
// Its memory is the least that listed types of its class have for each vCPU. Without a number of
// vCPUs in its name it has one. Empty if the name is more likely a slip: one letter away from a
// listed name, unless its generation is newer than all listed ones; or if no machine type is named
// like it.
std::optional<MachineType> unlisted_machine(const MachineTable& table, std::string_view name);

}  // namespace slipway::cluster
