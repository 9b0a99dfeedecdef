// The names of the collectives that the bandwidth tests know: in the names of the programs, in
// reports and in blueprints/catalogue/bandwidth.yaml.
#pragma once

#include <array>
#include <string_view>

namespace slipway {

inline constexpr std::array<std::string_view, 11> collective_names = {
    "all_gather",     "all_reduce", "alltoall", "broadcast", "gather",   "reduce",
    "reduce_scatter", "scatter",    "sendrecv", "alltoallv", "hypercube"};

}  // namespace slipway
