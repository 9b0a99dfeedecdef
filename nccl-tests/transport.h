// The transport that this process's data really used, as the kernel shows it.
#pragma once

#include <string>

namespace slipway::bandwidth {

// Lists what the process uses: open RDMA devices ("rdma mlx5_0"), TCP connections to other hosts
// that have carried data ("tcp enp0s12"), shared memory segments that MPI has mapped ("shared
// memory"); joined by ", ". Empty if it uses none of these.
std::string transport_of_this_process();

// The name of the interface with the local address of a connected socket; empty if none has it.
std::string interface_of(int socket);

}  // namespace slipway::bandwidth
