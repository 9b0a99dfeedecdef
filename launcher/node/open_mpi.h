// The settings that all of a machine's Open MPI programs share.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace slipway::node {

inline constexpr const char* open_mpi_settings = "/etc/openmpi/openmpi-mca-params.conf";

// The same settings without those that keep MPI over TCP within a node; empty if no setting does.
// Debian's Open MPI 6.0 (rc 2) comes with `btl_tcp_if_include=lo`: ranks on two nodes then fail
// with "Unable to find reachable pairing between local and remote interfaces".
std::optional<std::string> reach_other_nodes(std::string_view settings);

}  // namespace slipway::node
