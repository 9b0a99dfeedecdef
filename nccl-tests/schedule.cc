// The steps that each rank sends and receives in the rings and chains of the backend tcp.
//
// Reductions are split into chunks, so all ranks are busy from the first chunk on. Where partial
// results need scratch memory, all steps of a chunk precede those of the next one, so that it is
// enough for a few chunks.
#include "nccl-tests/schedule.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace slipway::bandwidth {
namespace {

constexpr int64_t chunk_bytes = 256 << 10;
// The number of slots for partial results that have not been forwarded yet. With two or more, no
// rank can block the ring; more let the ranks drift apart.
constexpr int64_t slots = 4;

int around(int64_t rank, int size) {
  return static_cast<int>(((rank % size) + size) % size);
}

// `bytes` of a block in chunks of whole elements.
struct Chunks {
  int64_t bytes = 0;

  int64_t count() const { return std::max<int64_t>(1, (bytes + chunk_bytes - 1) / chunk_bytes); }
  int64_t begin(int64_t chunk) const { return chunk * chunk_bytes; }
  int64_t size(int64_t chunk) const {
    return std::clamp<int64_t>(bytes - begin(chunk), 0, chunk_bytes);
  }
};

// In step i, a rank sends the block that it received in step i-1, beginning with its own.
Flow all_gather_flow(const Operation& op, const Place& place) {
  const int64_t block = op.block_bytes();
  const auto block_at = [=](int64_t index) {
    return op.receive + block * around(index, place.size);
  };
  Flow flow;
  flow.sent_steps = flow.received_steps = place.size - 1;
  flow.sent = [=](int64_t i) {
    return Flow::Sent{.from = block_at(place.rank - i), .bytes = block, .needs = i - 1};
  };
  flow.received = [=](int64_t i) {
    return Flow::Received{.to = block_at(place.rank - i - 1), .bytes = block};
  };
  return flow;
}

Flow reducing(const Operation& op) {
  Flow flow;
  flow.type = op.type;
  flow.reduction = op.reduction;
  flow.largest_reduced_bytes = chunk_bytes;
  return flow;
}

// For each chunk, the sum of block r arrives at rank r after it has visited every other rank.
Flow reduce_scatter_flow(const Operation& op, const Place& place, std::byte* scratch) {
  const int64_t block = op.block_bytes();
  const int64_t rounds = place.size - 1;
  const Chunks chunks{block};
  const auto own = [=](int64_t index, int64_t chunk) {
    return op.send + block * around(index, place.size) + chunks.begin(chunk);
  };
  const auto slot = [=](int64_t step) { return scratch + step % slots * chunk_bytes; };
  Flow flow = reducing(op);
  flow.sent_steps = flow.received_steps = rounds * chunks.count();
  flow.sent = [=](int64_t i) {
    const int64_t chunk = i / rounds, round = i % rounds;
    const bool fresh = round == 0;
    return Flow::Sent{.from = fresh ? own(place.rank - 1, chunk) : slot(i - 1),
                      .bytes = chunks.size(chunk),
                      .needs = fresh ? -1 : i - 1};
  };
  flow.received = [=](int64_t i) {
    const int64_t chunk = i / rounds, round = i % rounds;
    const bool last = round == rounds - 1;
    return Flow::Received{.to = last ? op.receive + chunks.begin(chunk) : slot(i),
                          .bytes = chunks.size(chunk),
                          .add = own(place.rank - round - 2, chunk),
                          .after = i - slots + 1};
  };
  return flow;
}

// The order in which a rank takes the rounds of each chunk. Round k of a chunk needs round k-1 of
// it to have come around; meanwhile, `ahead` other chunks are on their way. So nobody waits for a
// neighbor to wake up, as with one chunk after the other.
class Pipeline {
 public:
  struct Step {
    int64_t chunk = 0, round = 0;
  };

  Pipeline(int64_t chunks, int64_t rounds) : rounds_(rounds) {
    steps_.reserve(static_cast<size_t>(chunks * rounds));
    places_.resize(steps_.capacity());
    const int64_t last = chunks - 1 + (rounds - 1) * ahead;
    for (int64_t time = 0; time <= last; ++time) {
      const int64_t oldest = std::max<int64_t>(0, (time - chunks + ahead) / ahead);
      for (int64_t round = std::min(time / ahead, rounds - 1); round >= oldest; --round)
        add({time - round * ahead, round});
    }
  }

  Step at(int64_t place) const { return steps_[static_cast<size_t>(place)]; }
  int64_t place_of(int64_t chunk, int64_t round) const {
    return places_[static_cast<size_t>(chunk * rounds_ + round)];
  }

 private:
  // Fewer are sent before a neighbor wakes up; more do not fit into caches.
  static constexpr int64_t ahead = 4;

  void add(Step step) {
    places_[static_cast<size_t>(step.chunk * rounds_ + step.round)] =
        static_cast<int64_t>(steps_.size());
    steps_.push_back(step);
  }

  int64_t rounds_;
  std::vector<Step> steps_;
  std::vector<int64_t> places_;
};

// The buffer is cut into a part for each rank. For each chunk of the parts: a reduce_scatter, then
// an all_gather of the results.
Flow all_reduce_flow(const Operation& op, const Place& place) {
  const int64_t part = (op.count + place.size - 1) / place.size * op.type.bytes;
  const int64_t whole = op.block_bytes();
  const int64_t rounds = place.size - 1, steps = 2 * rounds;
  const Chunks chunks{part};
  struct Range {
    int64_t begin, bytes;
  };
  const auto range = [=](int64_t index, int64_t chunk) {
    const int64_t begin = part * around(index, place.size) + chunks.begin(chunk);
    return Range{begin, std::clamp<int64_t>(whole - begin, 0, chunks.size(chunk))};
  };
  const auto order = std::make_shared<const Pipeline>(chunks.count(), steps);
  Flow flow = reducing(op);
  flow.sent_steps = flow.received_steps = steps * chunks.count();
  flow.sent = [=](int64_t i) {
    const auto [chunk, round] = order->at(i);
    const Range sent = range(place.rank - round, chunk);
    return Flow::Sent{.from = (round == 0 ? op.send : op.receive) + sent.begin,
                      .bytes = sent.bytes,
                      .needs = round == 0 ? -1 : order->place_of(chunk, round - 1)};
  };
  flow.received = [=](int64_t i) {
    const auto [chunk, round] = order->at(i);
    const Range got = range(place.rank - round - 1, chunk);
    return Flow::Received{.to = op.receive + got.begin,
                          .bytes = got.bytes,
                          .add = round < rounds ? op.send + got.begin : nullptr};
  };
  return flow;
}

// A chain that begins at the root.
Flow broadcast_flow(const Operation& op, const Place& place) {
  const int position = around(place.rank - op.root, place.size);
  Flow flow;
  flow.sent_steps = position == place.size - 1 ? 0 : 1;
  flow.received_steps = position == 0 ? 0 : 1;
  flow.sent = [=](int64_t) {
    return Flow::Sent{.from = position == 0 ? op.send : op.receive,
                      .bytes = op.block_bytes(),
                      .needs = position == 0 ? -1 : 0};
  };
  flow.received = [=](int64_t) {
    return Flow::Received{.to = op.receive, .bytes = op.block_bytes()};
  };
  return flow;
}

// A chain that ends at the root.
Flow reduce_flow(const Operation& op, const Place& place, std::byte* scratch) {
  const int position = around(place.rank - op.root - 1, place.size);
  const bool first = position == 0, last = position == place.size - 1;
  const Chunks chunks{op.block_bytes()};
  const auto slot = [=](int64_t step) { return scratch + step % slots * chunk_bytes; };
  Flow flow = reducing(op);
  flow.sent_steps = last ? 0 : chunks.count();
  flow.received_steps = first ? 0 : chunks.count();
  flow.sent = [=](int64_t i) {
    return Flow::Sent{.from = first ? op.send + chunks.begin(i) : slot(i),
                      .bytes = chunks.size(i),
                      .needs = first ? -1 : i};
  };
  flow.received = [=](int64_t i) {
    return Flow::Received{.to = last ? op.receive + chunks.begin(i) : slot(i),
                          .bytes = chunks.size(i),
                          .add = op.send + chunks.begin(i),
                          .after = last ? -1 : i - slots};
  };
  return flow;
}

}  // namespace

Flow schedule(const Operation& op, const Place& place, std::span<std::byte> scratch) {
  switch (op.kind) {
    case Kind::all_gather:
      return all_gather_flow(op, place);
    case Kind::all_reduce:
      return all_reduce_flow(op, place);
    case Kind::reduce_scatter:
      return reduce_scatter_flow(op, place, scratch.data());
    case Kind::broadcast:
      return broadcast_flow(op, place);
    case Kind::reduce:
      return reduce_flow(op, place, scratch.data());
    default:
      return {};
  }
}

size_t scratch_bytes(const Operation& op) {
  const bool passes_on = op.kind == Kind::reduce || op.kind == Kind::reduce_scatter;
  return passes_on ? static_cast<size_t>(slots * chunk_bytes) : 0;
}

void copy_own_share(const Operation& op, const Place& place) {
  const bool alone = place.size == 1;
  const bool root = place.rank == op.root;
  std::byte* to = nullptr;
  if (op.kind == Kind::all_gather) to = op.receive + op.block_bytes() * place.rank;
  if (op.kind == Kind::broadcast && root) to = op.receive;
  // In a reduction, the own share is the result only if there is no other rank.
  if (collective_of(op.kind).reduces && alone) to = op.receive;
  if (to != nullptr && to != op.send) std::copy_n(op.send, op.block_bytes(), to);
}

}  // namespace slipway::bandwidth
