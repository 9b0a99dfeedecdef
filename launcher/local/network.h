// The networks of a local cluster, made with iproute2.
//
// As in a cloud, a node's only neighbor in a network is the gateway: its address has no subnet, and
// the gateway routes between nodes. Both know each other's hardware address from the beginning, so
// that nobody asks for it (docs/decisions/0005-gateway-routes.md).
#pragma once

#include <string>
#include <vector>

#include "launcher/local/plan.h"

namespace slipway::local {

// Input for `ip -batch` that makes the bridges in the network namespace it runs in.
std::string bridges_batch(const std::vector<Bridge>& bridges);

// Input for `ip -batch` that turns the bridges `current` into `wanted` and leaves those in both
// alone.
std::string changed_bridges_batch(const std::vector<Bridge>& current,
                                  const std::vector<Bridge>& wanted);

// Input that gives a node its interfaces: for each a veth pair, one end in the bridge, the other
// under its final name in `network`, a descriptor of the node's network namespace that `ip`
// inherits. `index` makes the names of the bridge ends unique.
std::string ports_batch(const PlannedNode& node, size_t index, int network,
                        const std::vector<Bridge>& bridges);

// Input that removes the bridge ends of a node's interfaces, and with them the node's ends.
std::string remove_ports_batch(const PlannedNode& node, size_t index,
                               const std::vector<Bridge>& bridges);

// Input that, run in the node's network namespace, brings the interfaces up with their addresses.
std::string addresses_batch(const PlannedNode& node);

// Makes the caller's network namespace the gateway of its bridges. Throws Error.
void route_between_nodes(const std::vector<Bridge>& bridges);

// Runs `ip -batch` on `text` in the caller's network namespace. Throws Error with ip's message.
void run_ip(const std::string& text);

}  // namespace slipway::local
