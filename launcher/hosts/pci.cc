// Reads PCI devices from /sys.
#include "launcher/hosts/pci.h"

#include <algorithm>

namespace slipway::hosts {
namespace {

namespace fs = std::filesystem;

const fs::path all_devices = "/sys/bus/pci/devices";

// "0x10de" is "10de"; a class of "0x030200" is "0302".
std::string digits(const std::optional<std::string>& text, size_t count) {
  if (!text || !text->starts_with("0x")) return "";
  return text->substr(2, count);
}

// The host bridge and the bridges on the way to a device, from its place below /sys/devices:
// pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:00.0/0000:18:00.0. Some machines have more folders
// before the host bridge.
std::vector<std::string> bridges_of(const fs::path& place) {
  std::vector<std::string> parts;
  for (const fs::path& part : place) parts.push_back(part.string());
  const auto bridge = std::ranges::find_if(
      parts, [](const std::string& part) { return part.starts_with("pci") && part.size() > 3; });
  if (bridge == parts.end()) return {};
  return {bridge, parts.end() - 1};
}

}  // namespace

const char* name_of(Distance distance) {
  constexpr const char* names[] = {"PIX", "PXB", "PHB", "NODE", "SYS"};
  return names[static_cast<size_t>(distance)];
}

std::vector<PciDevice> read_pci_devices(const health::Machine& machine) {
  std::vector<PciDevice> devices;
  for (const std::string& address : machine.names(all_devices)) {
    const fs::path folder = all_devices / address;
    PciDevice device{address,
                     digits(machine.read(folder / "vendor"), 4),
                     digits(machine.read(folder / "device"), 4),
                     digits(machine.read(folder / "class"), 4),
                     machine.target(folder / "driver").filename(),
                     machine.number(folder / "numa_node").value_or(-1),
                     bridges_of(machine.target(folder))};
    devices.push_back(std::move(device));
  }
  return devices;
}

Distance distance_between(const PciDevice& a, const PciDevice& b) {
  const auto [left, right] = std::ranges::mismatch(a.above, b.above);
  const auto shared = static_cast<size_t>(left - a.above.begin());
  if (shared == 0) {
    const bool same_node = a.numa_node >= 0 && a.numa_node == b.numa_node;
    return same_node ? Distance::numa_node : Distance::system;
  }
  if (shared == 1) return Distance::host_bridge;
  // Below the port that they share, each of them has at most a port of one switch of its own.
  const size_t further = std::max(a.above.size(), b.above.size()) - shared;
  return further <= 1 ? Distance::one_switch : Distance::switches;
}

}  // namespace slipway::hosts
