// Measures one size: the timed runs and the checked runs, out of place and in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "nccl-tests/backend.h"
#include "nccl-tests/collective.h"
#include "nccl-tests/statistics.h"

namespace slipway::bandwidth {

// The kinds of samples.
enum class Mode {
  pipelined,  // iterations started back to back, waited for once, divided by their number: the
              // throughput that nccl-tests prints, not the latency of one
  isolated,   // one iteration after a barrier: its latency on the ranks that Average names
};
std::string_view to_string(Mode mode);

// Which of the ranks' times is reported: nccl-tests' -a.
enum class Average { first_rank, mean, least, most };
std::string_view to_string(Average average);

// nccl-tests' -z: what follows every operation of a pipelined sample.
enum class Blocking { none, wait_and_barrier, wait, wait_then_barrier_untimed };

struct Timing {
  Mode mode = Mode::pipelined;
  Average average = Average::mean;
  Blocking blocking = Blocking::none;
  int iterations = 20;
  int aggregated = 1;  // operations in an iteration
  int samples = 1;
  // If above 0: sample until the interval of the median is within ± this share of it, or until
  // `budget_seconds` are spent, whichever comes first.
  double precision = 0;
  double budget_seconds = 30;
  bool each_iteration = false;  // also times the iterations of a pipelined sample one by one
  int skipped = 0;              // iterations of each sample that their statistics leave out
  int checks = 1;
  int graph_launches = 0;  // of the iterations as a CUDA graph; 0: they are not recorded
};

// Of the times of all iterations, those that their statistics count.
std::vector<double> counted_iterations(const std::vector<double>& us, const Timing& timing);

struct Time {
  double us = 0;      // the median over the samples, from which bandwidths are computed
  double min_us = 0;  // of the fastest rank
  double max_us = 0;  // of the slowest rank
};

struct Placement {
  Time time;
  double issue_us =
      0;  // until the operation was handed over: nccl-tests' cputime, the mean of ranks
  double algbw_gb_per_s = 0;  // GB = 1e9 bytes
  double busbw_gb_per_s = 0;
  std::optional<int64_t> wrong;    // elements, over all ranks and checked runs; empty: not checked
  int64_t wrong_runs = 0;          // checked runs, counted on each rank, with a wrong element
  std::vector<double> samples_us;  // in the order in which they were taken
  std::vector<double> iterations_us;  // one by one, of the slowest rank; empty unless asked for
  std::vector<std::vector<double>> ranks_iterations_us;  // of each rank
  bool budget_spent = false;  // the budget ended before the interval was narrow enough
};

// A collective with the parameters that a line of the table shows.
struct Case {
  const Collective* collective = nullptr;
  Datatype datatype;
  std::optional<Reduction> reduction;  // empty if nothing is reduced
  std::optional<int> root;             // empty if there is no root
  int unaligned = 0;                   // elements between the start of a buffer and its first

  std::string_view reduction_name() const;  // "none" without one
  int root_column() const { return root.value_or(-1); }
};

// One line of the table.
struct Row {
  int64_t requested_bytes = 0;  // the size in the sweep, before rounding
  Shape shape;
  Case of;
  Placement out_of_place;
  Placement in_place;
};

// The buffers of one rank, for every size up to the largest. In place, `receive` holds both.
class Buffers {
 public:
  // Throws Error if there is not enough memory. `spare_bytes` more are for an unaligned start.
  Buffers(Backend& backend, int64_t send_bytes, int64_t receive_bytes, int64_t spare_bytes = 0);

  // From `offset_bytes` on, at most the spare ones.
  std::span<std::byte> send(int64_t offset_bytes = 0) const {
    return {send_.get() + offset_bytes, send_bytes_};
  }
  std::span<std::byte> receive(int64_t offset_bytes = 0) const {
    return {receive_.get() + offset_bytes, receive_bytes_};
  }

 private:
  struct Release {
    Backend* backend;
    void operator()(std::byte* memory) const { backend->release(memory); }
  };
  size_t send_bytes_;
  size_t receive_bytes_;
  std::unique_ptr<std::byte[], Release> send_;
  std::unique_ptr<std::byte[], Release> receive_;
};

// Runs the collective untimed, to open connections and to warm up caches.
void warm_up(Backend& backend, const Case& which, const Shape& shape, const Buffers& buffers,
             int iterations);

// Every rank gets the same row. The buffers hold at least one run of the shape. If they hold more,
// consecutive runs use different parts, as in nccl-tests, so that caches do not flatter small
// sizes.
Row measure(Backend& backend, const Case& which, int64_t requested_bytes, const Buffers& buffers,
            const Timing& timing);

// Seconds of one operation on this rank: one sample, out of place, unchecked; all ranks.
double take_one(Backend& backend, const Case& which, const Shape& shape, const Buffers& buffers,
                const Timing& timing);

// Calls `take`, which times one sample on this rank in seconds, as often as `timing` requires.
// Returns the samples in microseconds, combined over the ranks as `timing` requires. Sets
// `budget_spent` as in Placement.
std::vector<double> sample(Backend& backend, const Timing& timing,
                           const std::function<double()>& take, bool& budget_spent, Time& extremes);

}  // namespace slipway::bandwidth
