// Writes the iproute2 commands for a local cluster's networks, and runs them.
#include "launcher/local/network.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "common/error.h"
#include "common/fd.h"
#include "common/process.h"
#include "common/text.h"
#include "launcher/local/subnet.h"

namespace slipway::local {
namespace {

// "10.0.0.2" of "10.0.0.2/16"
std::string host_part(const std::string& address) {
  return address.substr(0, address.find('/'));
}

void set_sysctl(const std::string& path, const char* value) {
  const Fd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file || ::write(file.get(), value, 1) != 1) throw_errno(fmt::format("cannot set {}", path));
}

// "42:01:0a:00:00:01" for "10.0.0.1/16", as Google Cloud does.
std::string hardware_address(const std::string& address) {
  const std::vector<std::string> bytes = split(host_part(address), '.');
  std::string text = "42:01";
  for (const std::string& byte : bytes) text += fmt::format(":{:02x}", std::stoi(byte));
  return text;
}

}  // namespace

std::string bridges_batch(const std::vector<Bridge>& bridges) {
  std::string text = "link set lo up\n";
  for (const Bridge& bridge : bridges) {
    // A bridge without its own hardware address takes the lowest of its ports'. Each node that
    // starts or stops could then change it, and the others would lose their gateway until they ask
    // for the address again.
    text += fmt::format(
        "link add name {0} mtu {1} address {3} type bridge\n"
        "link set {0} addrgenmode none up\n"
        "address add {2} dev {0}\n",
        bridge.name, bridge.mtu_bytes, bridge.address, hardware_address(bridge.address));
  }
  return text;
}

std::string changed_bridges_batch(const std::vector<Bridge>& current,
                                  const std::vector<Bridge>& wanted) {
  const auto in = [](const std::vector<Bridge>& bridges, const Bridge& bridge) {
    return std::ranges::find(bridges, bridge.name, &Bridge::name) != bridges.end();
  };
  std::string text;
  for (const Bridge& bridge : current) {
    if (!in(wanted, bridge)) text += fmt::format("link delete {}\n", bridge.name);
  }
  std::vector<Bridge> added;
  for (const Bridge& bridge : wanted) {
    if (in(current, bridge)) {
      text += fmt::format("link set {} mtu {}\n", bridge.name, bridge.mtu_bytes);
    } else {
      added.push_back(bridge);
    }
  }
  return text + bridges_batch(added);
}

std::string ports_batch(const PlannedNode& node, size_t index, int network,
                        const std::vector<Bridge>& bridges) {
  // A process ID would not do: since 6.15, iproute2 looks it up in /proc, which is the host's here
  // and numbers processes differently. `ip` then finds a client's namespace, such as the host's.
  std::string text;
  for (size_t i = 0; i < node.ports.size(); ++i) {
    const Port& port = node.ports[i];
    text += fmt::format(
        "link add name n{0}p{1} mtu {2} type veth peer name {3} address {6} mtu {2} netns "
        "/proc/self/fd/{4}\n"
        "link set n{0}p{1} addrgenmode none master {5} up\n"
        "neighbor replace {7} lladdr {6} dev {5} nud permanent\n",
        index, i, port.mtu_bytes, port.interface, network, bridges.at(port.bridge).name,
        hardware_address(port.address), host_part(port.address));
  }
  return text;
}

std::string remove_ports_batch(const PlannedNode& node, size_t index,
                               const std::vector<Bridge>& bridges) {
  std::string text;
  for (size_t i = 0; i < node.ports.size(); ++i) {
    const Port& port = node.ports[i];
    text += fmt::format(
        "neighbor delete {2} dev {3}\n"
        "link delete n{0}p{1}\n",
        index, i, host_part(port.address), bridges.at(port.bridge).name);
  }
  return text;
}

std::string addresses_batch(const PlannedNode& node) {
  std::string text = "link set lo up\n";
  for (const Port& port : node.ports) {
    const Subnet subnet = Subnet::parse(port.address);
    text += fmt::format(
        "address add {1}/32 dev {0}\n"
        "link set {0} addrgenmode none up\n"
        "neighbor replace {2} lladdr {4} dev {0} nud permanent\n"
        "route add {2} dev {0} scope link\n"
        "route add {3} via {2} dev {0}\n",
        port.interface, host_part(port.address), host_part(subnet.gateway()), subnet.range(),
        hardware_address(subnet.gateway()));
  }
  return text;
}

void route_between_nodes(const std::vector<Bridge>& bridges) {
  const std::string folder = "/proc/sys/net/ipv4/";
  set_sysctl(folder + "ip_forward", "1");
  // Packets are meant to leave through the bridge they came in on: do not tell nodes about a
  // shorter route.
  set_sysctl(folder + "conf/all/send_redirects", "0");
  for (const Bridge& bridge : bridges) {
    set_sysctl(folder + "conf/" + bridge.name + "/send_redirects", "0");
  }
}

void run_ip(const std::string& text) {
  run_checked({"/sbin/ip", "-batch", "-"}, {.input = text});
}

}  // namespace slipway::local
