// The collectives: their buffer sizes, and the columns of nccl-tests' table that apply to each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace slipway::bandwidth {

enum class Kind {
  all_gather,
  all_reduce,
  alltoall,
  broadcast,
  gather,
  reduce,
  reduce_scatter,
  scatter,
  sendrecv,
  alltoallv,
  hypercube
};

// One size of one collective on one number of ranks. Bytes are per rank.
struct Shape {
  int64_t send_bytes = 0;
  int64_t receive_bytes = 0;
  int64_t size_bytes = 0;  // the column `size`: the larger of the two
  int64_t count = 0;       // the column `count`: elements as the call's argument counts them
  // In place, one buffer holds both; each begins at its offset × rank.
  int64_t in_place_send_offset = 0;
  int64_t in_place_receive_offset = 0;
};

// busbw = algbw × this factor: the bandwidth of the slowest link, independent of the number of
// ranks n.
enum class Bus {
  all,       // 1
  others,    // (n-1)/n: a rank's own share does not travel
  reduced,   // 2(n-1)/n: shares travel twice, for the reduction and for the result
  received,  // 1, as algbw counts only what a rank receives from others
};

struct Collective {
  Kind kind;
  std::string_view name;  // "all_gather"
  // Whether the buffer has one block for each rank, or only one block.
  bool sends_all = false;
  bool receives_all = false;
  bool divides = false;  // the size is that of all blocks together, and each is rounded
  bool reduces = false;
  bool has_root = false;
  Bus bus = Bus::all;

  // The shape nearest to `bytes`, rounded as nccl-tests does: if the collective divides its buffer,
  // blocks are rounded down to 16 bytes, so that they stay aligned.
  Shape shape(int64_t bytes, int64_t element_bytes, int ranks) const;
  // What algbw counts of a size: all of it, but for hypercube, which counts what a rank receives.
  double algbw_factor(int ranks) const;
  double busbw_factor(int ranks) const;  // from algbw
  // Whether it works on any number of ranks: hypercube needs a power of 2.
  bool works_on(int ranks) const;
  std::string program() const { return std::string(name) + "_perf"; }
};

std::span<const Collective> all_collectives();
const Collective& collective_of(Kind kind);

// The collective called `name`, with or without `_perf` or `_perf_mpi`; nullptr if there is none.
const Collective* find_collective(std::string_view name);

}  // namespace slipway::bandwidth
