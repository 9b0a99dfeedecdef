// The data of a checked run of a collective: what each rank gives, and what each must have after
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "nccl-tests/collective.h"
#include "nccl-tests/data.h"

namespace slipway::bandwidth {

struct CheckedRun {
  const Collective& collective;
  Shape shape;
  Datatype type;
  Reduction reduction = Reduction::sum;
  int root = 0;
  uint64_t seed = 0;  // makes the data of one run differ from the last
  int rank = 0;
  int ranks = 1;

  // Makes the buffers ready: every byte of `receive` is one that the collective must change, `send`
  // holds what this rank gives. `send` may lie in `receive`.
  void prepare(std::span<std::byte> send, std::span<std::byte> receive) const;

  // How many elements of `receive` are not what they must be.
  int64_t count_wrong(std::span<const std::byte> receive) const;

 private:
  Numbers numbers() const { return {type, reduction, seed, ranks}; }
  bool receives() const;                 // whether this rank gets anything
  int64_t first_of_result() const;       // of a reduction: the index of its first element
  int given_stream(int block) const;     // what `block` of send holds
  int expected_stream(int block) const;  // what `block` of receive must hold
};

}  // namespace slipway::bandwidth
