// What this process's data has really travelled over, as the kernel shows it.
#pragma once

#include <string>

namespace slipway::bandwidth {

// Looks at what the process holds: RDMA devices that are open ("rdma mlx5_0"), TCP connections to
// other hosts that have carried data ("tcp enp0s12"), segments of shared memory that MPI has mapped
// ("shared memory"); joined by ", ". Empty when there is none of these.
std::string transport_of_this_process();

// The name of the interface that has the local address of a connected socket; empty when none has.
std::string interface_of(int socket);

}  // namespace slipway::bandwidth
