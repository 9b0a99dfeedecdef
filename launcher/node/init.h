// PID 1 of a node in a PID namespace.
#pragma once

namespace slipway::node {

// Waits for every child that ends, its own and those it inherits, and keeps the services running
// (keeper.h). SIGHUP has it start those that do not run. Never returns: the node ends with its
// PID 1.
[[noreturn]] void reap_children_forever();

}  // namespace slipway::node
