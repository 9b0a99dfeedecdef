// The networks of a local cluster, made with iproute2.
//
// As in a cloud, a node sees one neighbour in a network, the gateway: its address has no subnet,
// and the gateway routes between the nodes. (Docs: docs/decisions/0005-gateway-routes.md.)
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "launcher/local/plan.h"

namespace slipway::local {

// The text for `ip -batch` that makes the bridges in the network namespace it is run in.
std::string bridges_batch(const std::vector<Bridge>& bridges);

// The text that makes `wanted` of the bridges `standing`, and leaves alone what is in both.
std::string changed_bridges_batch(const std::vector<Bridge>& standing,
                                  const std::vector<Bridge>& wanted);

// The text that gives a node its interfaces: a veth pair each, one end in the bridge, the other in
// the network namespace of process `pid` under its final name. `index` keeps the names of our ends
// apart.
std::string ports_batch(const PlannedNode& node, size_t index, pid_t pid,
                        const std::vector<Bridge>& bridges);

// The text that removes our ends of them, and with them the node's.
std::string remove_ports_batch(const PlannedNode& node, size_t index);

// The text that, run in the node's network namespace, brings the interfaces up with their
// addresses.
std::string addresses_batch(const PlannedNode& node);

// Makes the network namespace that the caller is in the gateway of its bridges. Throws Error.
void route_between_nodes(const std::vector<Bridge>& bridges);

// Runs `ip -batch` on `text` in the caller's network namespace. Throws Error with what ip said.
void run_ip(const std::string& text);

}  // namespace slipway::local
