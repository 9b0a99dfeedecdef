// The numbers of a checked reduction: what each rank gives, and what the result must be.
//
// They are chosen so that every type holds the exact result in whatever order the ranks' numbers
// are combined. Only a mean of floating-point numbers depends on how it is calculated: there the
// result may be off by `tolerance`, which is that of nccl-tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nccl-tests/pattern.h"
#include "nccl-tests/reduction.h"

namespace slipway::bandwidth {

struct Numbers {
  Datatype type;
  Reduction reduction = Reduction::sum;
  uint64_t seed = 0;
  int ranks = 1;
};

// What `rank` gives. `first` is the index of the buffer's first element.
Pattern given_numbers(const Numbers& numbers, int rank, int64_t first = 0);

// The result. Its table takes time in proportion to the ranks, once, whatever the size of the data.
Pattern expected_numbers(const Numbers& numbers, int64_t first = 0);

// The factor by which `rank` multiplies its numbers in a sum of products (mulsum): 1 or 2, as in
// nccl-tests.
double factor_of(int rank);

}  // namespace slipway::bandwidth
