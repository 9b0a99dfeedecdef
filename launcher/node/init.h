// PID 1 of a node in its own PID namespace.
#pragma once

namespace slipway::node {

// Reaps every child, its own and those it inherits, and supervises the services
// (service_supervisor.h). SIGHUP makes it start those that are not running. Never returns: the node
// ends with its PID 1.
[[noreturn]] void reap_children_forever();

}  // namespace slipway::node
