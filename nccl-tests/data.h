// The data that a rank gives in a checked run, and the count of what arrived wrong.
//
// What is only moved is a stream of 64-bit words, each a hash of (seed, stream, index of the word).
// What is reduced are small whole numbers, chosen so that every type holds the result exactly in
// whatever order the ranks' numbers are taken. Elements have 1, 2, 4 or 8 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "nccl-tests/reduction.h"

namespace slipway::bandwidth {

// Writes the data of a stream: of a rank, or of a pair of them.
void fill(std::span<std::byte> block, uint64_t seed, int stream);

// Writes what the data of `stream` is not, in any bit: where nothing arrives, every element is
// wrong.
void poison(std::span<std::byte> block, uint64_t seed, int stream);

// How many elements of `block` are not the data of `stream`.
int64_t count_mismatches(std::span<const std::byte> block, int64_t element_bytes, uint64_t seed,
                         int stream);

// The numbers of a reduction over `ranks` ranks. `first` is the index of a block's first element.
struct Numbers {
  Datatype type;
  Reduction reduction = Reduction::sum;
  uint64_t seed = 0;
  int ranks = 1;
};
void fill_numbers(std::span<std::byte> block, const Numbers& numbers, int rank);
void poison_numbers(std::span<std::byte> block, const Numbers& numbers, int64_t first);
int64_t count_wrong_numbers(std::span<const std::byte> block, const Numbers& numbers,
                            int64_t first);

}  // namespace slipway::bandwidth
