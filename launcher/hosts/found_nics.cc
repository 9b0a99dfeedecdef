// Reads network interfaces and RDMA devices from /sys and /proc.
#include "launcher/hosts/found_nics.h"

#include <algorithm>
#include <set>

#include "common/text.h"

namespace slipway::hosts {
namespace {

namespace fs = std::filesystem;

const fs::path all_interfaces = "/sys/class/net", all_rdma = "/sys/class/infiniband";

// ARPHRD_ETHER and ARPHRD_INFINIBAND of linux/if_arp.h.
constexpr int64_t ethernet_type = 1, infiniband_type = 32;

const PciDevice* device_at(const std::vector<PciDevice>& devices, const fs::path& place) {
  // The device of a virtio interface is below its PCI device.
  for (fs::path folder = place; folder.has_relative_path(); folder = folder.parent_path()) {
    const auto found = std::ranges::find(devices, folder.filename().string(), &PciDevice::address);
    if (found != devices.end()) return &*found;
  }
  return nullptr;
}

// The interface with the route to everywhere, from the kernel's table: name, destination, ….
std::string default_route(const health::Machine& machine) {
  for (const std::string& line : split(machine.read("/proc/net/route").value_or(""), '\n')) {
    const std::vector<std::string> fields = split(line, '\t');
    if (fields.size() > 7 && fields[1] == "00000000" && fields[7] == "00000000") return fields[0];
  }
  return {};
}

// Whether Linux only makes this interface up: a bridge, a tunnel, the end of a container. A bond is
// how hardware is used, and a VLAN too.
bool is_made_up(const health::Machine& machine, const std::string& name) {
  const fs::path folder = all_interfaces / name;
  if (!machine.target(folder / "device").empty()) return false;
  return machine.names(folder / "bonding").empty() &&
         !machine.read("/proc/net/vlan/" + name).has_value();
}

FoundNic read_interface(const health::Machine& machine, const std::string& name,
                        const std::vector<PciDevice>& devices) {
  const fs::path folder = all_interfaces / name;
  FoundNic nic;
  nic.name = name;
  nic.mtu_bytes = machine.number(folder / "mtu").value_or(0);
  nic.ethernet = machine.number(folder / "type").value_or(0) == ethernet_type;
  nic.up = machine.number(folder / "carrier").value_or(0) == 1;
  if (const PciDevice* device = device_at(devices, machine.target(folder / "device"))) {
    nic.pci_address = device->address;
    nic.driver = device->driver;
  }
  return nic;
}

// "4: ACTIVE", "400 Gb/sec (4X NDR)"
void read_rdma_port(const health::Machine& machine, const std::string& device, FoundNic& nic) {
  const fs::path port = all_rdma / device / "ports/1";
  nic.rdma_device = device;
  nic.link_layer = machine.read(port / "link_layer").value_or("");
  const std::string rate = machine.read(port / "rate").value_or("");
  nic.gbit = to_number<int64_t>(rate.substr(0, rate.find_first_not_of("0123456789"))).value_or(0);
}

std::vector<FoundNic> read_interfaces(const health::Machine& machine,
                                      const std::vector<PciDevice>& devices) {
  const std::string route = default_route(machine);
  std::vector<FoundNic> hardware, all;
  for (const std::string& name : machine.names(all_interfaces)) {
    const int64_t type = machine.number(all_interfaces / name / "type").value_or(0);
    if (type != ethernet_type && type != infiniband_type) continue;
    const std::string master = machine.target(all_interfaces / name / "master").filename();
    const bool in_bond = !machine.names(all_interfaces / master / "bonding").empty();
    if (!master.empty() && in_bond) continue;
    FoundNic nic = read_interface(machine, name, devices);
    nic.has_default_route = name == route;
    if (!is_made_up(machine, name) || nic.has_default_route) hardware.push_back(nic);
    all.push_back(std::move(nic));
  }
  // In a network namespace, all interfaces may be made up.
  return hardware.empty() ? all : hardware;
}

}  // namespace

std::vector<FoundNic> read_nics(const health::Machine& machine,
                                const std::vector<PciDevice>& devices) {
  std::vector<FoundNic> nics = read_interfaces(machine, devices);
  std::vector<FoundNic> without_interface;
  for (const std::string& device : machine.names(all_rdma)) {
    const PciDevice* place = device_at(devices, machine.target(all_rdma / device / "device"));
    const auto own = std::ranges::find_if(nics, [&](const FoundNic& nic) {
      return place != nullptr && nic.pci_address == place->address && nic.rdma_device.empty();
    });
    if (own != nics.end()) {
      read_rdma_port(machine, device, *own);
      continue;
    }
    FoundNic nic;
    nic.name = device;
    if (place != nullptr) {
      nic.pci_address = place->address;
      nic.driver = place->driver;
    }
    read_rdma_port(machine, device, nic);
    nic.up = machine.read(all_rdma / device / "ports/1/state").value_or("").starts_with("4:");
    without_interface.push_back(std::move(nic));
  }
  std::ranges::move(without_interface, std::back_inserter(nics));
  return nics;
}

}  // namespace slipway::hosts
