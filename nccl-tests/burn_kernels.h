// The GPU's part of a burn: chains of products and sums whose results are known bit for bit.
//
// Each chain is x -> 1 - 1.9 x² in single precision, rounded to nearest: a multiplication and a
// fused multiply-add. The map is chaotic, so a wrong bit is not forgotten but spreads; IEEE 754
// leaves no choice, so the host can say what every GPU must get.
//
// `burn` takes (results, starts, steps): each thread runs `burn_chains` chains, and writes one word
// about them. `compare` takes (results, elements, expected, wrong), where `wrong` is the address of
// a 64-bit sum to which the number of wrong words is added. Any grid works: threads have the chains
// of their number in the grid, modulo burn_lanes.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace slipway::bandwidth {

inline constexpr int burn_lanes = 32;
inline constexpr int burn_chains = 8;
inline constexpr int burn_unrolled = 4;  // a step of the kernel is this many of each chain

// Floating-point operations of a thread in a step: a multiplication and a fused multiply-add.
inline constexpr double burn_operations = 3.0 * burn_chains * burn_unrolled;

using BurnStarts = std::array<float, static_cast<size_t>(burn_lanes) * burn_chains>;
using BurnResults = std::array<uint32_t, burn_lanes>;

std::string burn_kernels();
BurnStarts burn_starts();
// What the threads must write after so many steps: at least 1.
BurnResults burn_results(uint32_t steps);

}  // namespace slipway::bandwidth
