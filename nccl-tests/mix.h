// The hash from which the data of checked runs is made; the GPU's kernels calculate the same.
#pragma once

#include <cstdint>

namespace slipway::bandwidth {

// The finalizer of splitmix64 (Steele, Lea, Flood 2014): every input bit moves half of the output.
inline uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

inline constexpr uint64_t golden_step = 0x9e3779b97f4a7c15U;  // between the indices of a hash

}  // namespace slipway::bandwidth
