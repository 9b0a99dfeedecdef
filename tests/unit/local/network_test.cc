#include "launcher/local/network.h"

#include "tests/unit/catch.h"

using namespace slipway::local;

namespace {

const std::vector<Bridge> bridges = {{"vpc0", "sys", "10.0.0.1/16", 8244},
                                     {"vpc1", "gpu", "10.1.0.1/16", 8244}};

PlannedNode two_port_node() {
  PlannedNode node;
  node.ports = {{"enp0s12", "10.0.0.2/16", 8244, 0}, {"enp6s0", "10.1.0.2/16", 8244, 1}};
  return node;
}

}  // namespace

TEST_CASE(
    "network: a bridge for each network, with the gateway's address and one in hardware that "
    "stays") {
  CHECK(bridges_batch({bridges[0]}) ==
        "link set lo up\n"
        "link add name vpc0 mtu 8244 address 42:01:0a:00:00:01 type bridge\n"
        "link set vpc0 addrgenmode none up\n"
        "address add 10.0.0.1/16 dev vpc0\n");
}

TEST_CASE("network: a veth pair for each port, its end in the node under its final name") {
  CHECK(
      ports_batch(two_port_node(), 7, 42, bridges) ==
      "link add name n7p0 mtu 8244 type veth peer name enp0s12 address 42:01:0a:00:00:02 mtu 8244 "
      "netns /proc/self/fd/42\n"
      "link set n7p0 addrgenmode none master vpc0 up\n"
      "neighbor replace 10.0.0.2 lladdr 42:01:0a:00:00:02 dev vpc0 nud permanent\n"
      "link add name n7p1 mtu 8244 type veth peer name enp6s0 address 42:01:0a:01:00:02 mtu 8244 "
      "netns /proc/self/fd/42\n"
      "link set n7p1 addrgenmode none master vpc1 up\n"
      "neighbor replace 10.1.0.2 lladdr 42:01:0a:01:00:02 dev vpc1 nud permanent\n");
}

TEST_CASE("network: a node that is gone leaves neither ports nor neighbors") {
  CHECK(remove_ports_batch(two_port_node(), 7, bridges) ==
        "neighbor delete 10.0.0.2 dev vpc0\n"
        "link delete n7p0\n"
        "neighbor delete 10.1.0.2 dev vpc1\n"
        "link delete n7p1\n");
}

TEST_CASE(
    "network: inside the node, every port has its address and only the gateway as a neighbor") {
  CHECK(addresses_batch(two_port_node()) ==
        "link set lo up\n"
        "address add 10.0.0.2/32 dev enp0s12\n"
        "link set enp0s12 addrgenmode none up\n"
        "neighbor replace 10.0.0.1 lladdr 42:01:0a:00:00:01 dev enp0s12 nud permanent\n"
        "route add 10.0.0.1 dev enp0s12 scope link\n"
        "route add 10.0.0.0/16 via 10.0.0.1 dev enp0s12\n"
        "address add 10.1.0.2/32 dev enp6s0\n"
        "link set enp6s0 addrgenmode none up\n"
        "neighbor replace 10.1.0.1 lladdr 42:01:0a:01:00:01 dev enp6s0 nud permanent\n"
        "route add 10.1.0.1 dev enp6s0 scope link\n"
        "route add 10.1.0.0/16 via 10.1.0.1 dev enp6s0\n");
}
