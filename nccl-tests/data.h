// The data that a rank gives in a checked run, and the count of what arrived wrong.
//
// A rank's data is a stream of 64-bit words, each a hash of (seed, rank, index of the word). Blocks
// are whole words (nccl-tests rounds them to 16 bytes), elements have 1, 2, 4 or 8 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace slipway::bandwidth {

// Writes the data of `rank`.
void fill(std::span<std::byte> block, uint64_t seed, int rank);

// Writes what the data of `rank` is not, in any bit: where nothing arrives, every element is wrong.
void poison(std::span<std::byte> block, uint64_t seed, int rank);

// How many elements of `block` are not the data of `rank`.
int64_t count_mismatches(std::span<const std::byte> block, int64_t element_bytes, uint64_t seed,
                         int rank);

}  // namespace slipway::bandwidth
