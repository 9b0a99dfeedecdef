// A checked run of a collective: the data that each rank sends, and the data that it must receive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "nccl-tests/collective.h"
#include "nccl-tests/number_tables.h"
#include "nccl-tests/pattern.h"

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

  // Fills the buffers: `send` with this rank's data, `receive` with bytes that the collective must
  // all change. `send` may be a part of `receive`.
  void prepare(Patterns& patterns, std::span<std::byte> send, std::span<std::byte> receive) const;

  // The number of wrong elements in `receive`.
  int64_t count_wrong(Patterns& patterns, std::span<const std::byte> receive) const;

 private:
  Numbers numbers() const { return {type, reduction, seed, ranks}; }
  // alltoallv, whose blocks differ in size: those of a buffer, each with its pattern.
  void for_blocks(bool sent,
                  const std::function<void(size_t at, size_t bytes, const Pattern&)>& each) const;
  bool gives() const;        // whether this rank sends anything
  bool receives() const;     // whether this rank gets anything
  Pattern given() const;     // what `send` contains
  Pattern expected() const;  // what `receive` must contain
};

}  // namespace slipway::bandwidth
