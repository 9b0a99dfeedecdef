// The networks of a local cluster, made with iproute2.
#include "launcher/local/network.h"

#include <fmt/format.h>

#include "common/process.h"

namespace slipway::local {

std::string bridges_batch(const std::vector<Bridge>& bridges) {
  std::string text = "link set lo up\n";
  for (const Bridge& bridge : bridges) {
    text += fmt::format(
        "link add name {0} mtu {1} type bridge\n"
        "link set {0} addrgenmode none up\n"
        "address add {2} dev {0}\n",
        bridge.name, bridge.mtu_bytes, bridge.address);
  }
  return text;
}

std::string ports_batch(const PlannedNode& node, size_t index, pid_t pid,
                        const std::vector<Bridge>& bridges) {
  std::string text;
  for (size_t i = 0; i < node.ports.size(); ++i) {
    const Port& port = node.ports[i];
    text += fmt::format(
        "link add name n{0}p{1} mtu {2} type veth peer name {3} mtu {2} netns {4}\n"
        "link set n{0}p{1} addrgenmode none master {5} up\n",
        index, i, port.mtu_bytes, port.interface, pid, bridges.at(port.bridge).name);
  }
  return text;
}

std::string addresses_batch(const PlannedNode& node) {
  std::string text = "link set lo up\n";
  for (const Port& port : node.ports) {
    text += fmt::format(
        "address add {1} dev {0}\n"
        "link set {0} addrgenmode none up\n",
        port.interface, port.address);
  }
  return text;
}

void run_ip(const std::string& text) {
  run_checked({"ip", "-batch", "-"}, {.input = text});
}

}  // namespace slipway::local
