// Measuring one size: the timed runs and the checked ones, out of place and in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "nccl-tests/backend.h"
#include "nccl-tests/collective.h"
#include "nccl-tests/datatype.h"

namespace slipway::bandwidth {

// Time of one run: `iterations` runs started back to back, then waited for, divided by their
// number. That is pipelined throughput, nccl-tests' default, and not the latency of one run.
struct Time {
  double mean_us = 0;  // over the ranks; bandwidths are made from it, as nccl-tests makes them
  double min_us = 0;   // of the fastest rank
  double max_us = 0;   // of the slowest rank
};

struct Placement {
  Time time;
  double algbw_gb_per_s = 0;  // GB = 1e9 bytes
  double busbw_gb_per_s = 0;
  std::optional<int64_t> wrong;  // elements, over all ranks and checked runs; none: not checked
  int64_t wrong_runs = 0;        // checked runs, counted on each rank, with a wrong element
};

// One line of the table.
struct Row {
  int64_t requested_bytes = 0;  // as the sweep asked for it, before rounding
  Shape shape;
  Datatype datatype;
  Placement out_of_place;
  Placement in_place;
};

// The buffers of one rank, for every size up to the largest. In place, `receive` holds both.
class Buffers {
 public:
  // Throws Error when there is no memory for them.
  Buffers(int64_t send_bytes, int64_t receive_bytes);

  std::span<std::byte> send() const { return {send_.get(), send_bytes_}; }
  std::span<std::byte> receive() const { return {receive_.get(), receive_bytes_}; }

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  size_t send_bytes_;
  size_t receive_bytes_;
  std::unique_ptr<std::byte[], Free> send_;
  std::unique_ptr<std::byte[], Free> receive_;
};

struct Repetitions {
  int iterations = 20;
  int check_iterations = 1;
};

// Runs `collective` untimed, to open connections and to bring the buffers into the caches' state.
void warm_up(Backend& backend, const Collective& collective, const Shape& shape,
             const Buffers& buffers, int iterations);

// Every rank gets the same row. The buffers hold at least one run of `shape`; where they hold more,
// consecutive runs use different parts, as in nccl-tests, so that caches do not flatter small
// sizes.
Row measure(Backend& backend, const Collective& collective, Datatype datatype,
            int64_t requested_bytes, const Buffers& buffers, const Repetitions& repetitions);

}  // namespace slipway::bandwidth
