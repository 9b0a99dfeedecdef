// A collective: the sizes of its buffers, the data that must come out, and how it is started.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "nccl-tests/backend.h"

namespace slipway::bandwidth {

// One size of one collective on one number of ranks. Bytes are per rank.
struct Shape {
  int64_t send_bytes = 0;
  int64_t receive_bytes = 0;
  int64_t size_bytes = 0;  // the column `size`: the larger of the two totals
  int64_t count = 0;       // the column `count`: elements as the call's argument counts them
  // In place, both buffers lie in one: these × rank are where they begin.
  int64_t in_place_send_offset = 0;
  int64_t in_place_receive_offset = 0;
};

class Collective {
 public:
  virtual ~Collective() = default;

  virtual std::string_view name() const = 0;       // "all_gather"
  virtual std::string_view reduction() const = 0;  // the column `redop`; "none" where none
  virtual int root() const = 0;                    // the column `root`; -1 where there is none

  // The shape nearest to `bytes`, as nccl-tests rounds it.
  virtual Shape shape(int64_t bytes, int64_t element_bytes, int ranks) const = 0;

  // busbw = algbw × this: what the slowest link carried, whatever the number of ranks.
  virtual double busbw_factor(int ranks) const = 0;

  virtual void start(Backend& backend, const Shape& shape, const std::byte* send,
                     std::byte* receive) const = 0;

  // Makes the buffers ready for a checked run: every byte of `receive` is one that the collective
  // must change, `send` holds what `rank` gives. `send` may lie in `receive`; `seed` makes the data
  // of one run differ from the last.
  virtual void prepare(const Shape& shape, uint64_t seed, int rank, int ranks,
                       std::span<std::byte> send, std::span<std::byte> receive) const = 0;

  // How many elements of `receive` are not what they must be after that run.
  virtual int64_t count_wrong(const Shape& shape, uint64_t seed, int64_t element_bytes, int rank,
                              int ranks, std::span<const std::byte> receive) const = 0;
};

const Collective& all_gather();

}  // namespace slipway::bandwidth
