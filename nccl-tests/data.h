// The data of a checked run: what each rank sends, and how many elements arrived wrong.
//
// Data that is only moved is a stream of 64-bit words, each a hash of (seed, stream, word index).
// Data that is reduced consists of small whole numbers, chosen so that every type holds the exact
// result in whatever order the ranks' numbers are combined. Elements have 1, 2, 4 or 8 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "nccl-tests/reduction.h"

namespace slipway::bandwidth {

// Writes the data of a stream. A stream belongs to a rank or to a pair of ranks.
void fill(std::span<std::byte> block, uint64_t seed, int stream);

// Writes the complement of the data of `stream`: wherever nothing arrives, every element is wrong.
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
