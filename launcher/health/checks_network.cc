// Checks network interfaces and RDMA ports.
#include <fmt/core.h>

#include <algorithm>

#include "launcher/health/checks.h"

namespace slipway::health {
namespace {

namespace fs = std::filesystem;

const fs::path all_interfaces = "/sys/class/net", all_rdma = "/sys/class/infiniband";

using Interface = NodeProfile::Interface;

void nic_link(const Machine& machine, CheckRun& run) {
  const std::vector<std::string> there = machine.names(all_interfaces);
  for (const Interface& nic : run.context.profile.network_interfaces) {
    const fs::path folder = all_interfaces / nic.name;
    if (std::ranges::find(there, nic.name) == there.end()) {
      // Some NICs only have an RDMA device, whose ports rdma_ports() checks.
      const bool is_rdma = !machine.names(all_rdma / nic.name / "ports").empty();
      if (!is_rdma) run.find("nic-missing", nic.name, "no such interface");
      continue;
    }
    if (machine.number(folder / "carrier").value_or(0) != 1) {
      run.find("nic-down", nic.name,
               fmt::format("no carrier (state {})",
                           machine.read(folder / "operstate").value_or("unknown")));
    }
  }
}

void nic_speed(const Machine& machine, CheckRun& run) {
  for (const Interface& nic : run.context.profile.network_interfaces) {
    // Virtual interfaces report no speed, or -1.
    const int64_t mbit = machine.number(all_interfaces / nic.name / "speed").value_or(-1);
    if (mbit <= 0) continue;
    const int64_t seen = run.most("nic_speed/" + nic.name, mbit);
    const auto limit =
        static_cast<int64_t>(run.limit(nic.purpose == "gpu" ? "gpu_nic_mbit" : "host_nic_mbit"));
    if (mbit < std::max(seen, limit)) {
      run.find("nic-slow", nic.name,
               fmt::format("{} Mbit/s, expected {}", mbit, std::max(seen, limit)));
    }
  }
}

void nic_errors(const Machine& machine, CheckRun& run) {
  for (const Interface& nic : run.context.profile.network_interfaces) {
    const fs::path folder = all_interfaces / nic.name;
    int64_t errors = 0;
    for (const char* name : {"rx_errors", "tx_errors", "rx_crc_errors"}) {
      if (const auto now = machine.number(folder / "statistics" / name)) {
        errors += run.growth(fmt::format("nic_{}/{}", name, nic.name), *now);
      }
    }
    if (static_cast<double>(errors) > run.limit("nic_errors")) {
      run.find_event("nic-errors", nic.name, fmt::format("{} new errors", errors));
    }
    const auto downs = machine.number(folder / "carrier_down_count");
    const int64_t more = downs ? run.growth("nic_carrier_down/" + nic.name, *downs) : 0;
    if (static_cast<double>(more) > run.limit("nic_carrier_losses")) {
      run.find_event("nic-flaps", nic.name, fmt::format("lost its carrier {} more times", more));
    }
  }
}

void rdma_ports(const Machine& machine, CheckRun& run, const Doing& doing) {
  int64_t active = 0;
  for (const std::string& device : machine.names(all_rdma)) {
    for (const std::string& port : machine.names(all_rdma / device / "ports")) {
      const fs::path folder = all_rdma / device / "ports" / port;
      const std::string label = fmt::format("{}/{}", device, port);
      doing("reading RDMA port " + label);
      // "4: ACTIVE"
      const bool is_active = machine.read(folder / "state").value_or("").starts_with("4:");
      active += is_active ? 1 : 0;
      if (run.most("rdma_active/" + label, is_active ? 1 : 0) == 1 && !is_active) {
        run.find("rdma-port-down", label, "was active, but no longer is");
      }
      int64_t errors = 0;
      for (const char* name : {"link_downed", "symbol_error", "port_rcv_errors"}) {
        if (const auto now = machine.number(folder / "counters" / name)) {
          errors += run.growth(fmt::format("rdma_{}/{}", name, label), *now);
        }
      }
      if (static_cast<double>(errors) > run.limit("rdma_errors")) {
        run.find_event("rdma-errors", label, fmt::format("{} new errors", errors));
      }
    }
  }
  const auto expected = static_cast<int64_t>(run.limit("rdma_ports"));
  if (active < expected) {
    run.find("rdma-missing", "RDMA", fmt::format("{} of {} ports are active", active, expected));
  }
}

}  // namespace

void check_network(const Machine& machine, CheckRun& run, const Doing& doing) {
  doing("reading network interfaces");
  run.begin("nic_link");
  nic_link(machine, run);
  run.begin("nic_speed");
  nic_speed(machine, run);
  run.begin("nic_errors");
  nic_errors(machine, run);
  run.begin("rdma_ports");
  rdma_ports(machine, run, doing);
}

}  // namespace slipway::health
