// A checked run of a collective: the data that each rank sends, and the data that it must receive.
#include "nccl-tests/checked_run.h"

#include "nccl-tests/traffic.h"

namespace slipway::bandwidth {
namespace {

uint64_t number(int n) {
  return static_cast<uint64_t>(n);
}

}  // namespace

bool CheckedRun::gives() const {
  const bool root_alone = collective.kind == Kind::broadcast || collective.kind == Kind::scatter;
  return !root_alone || rank == root;
}

bool CheckedRun::receives() const {
  const bool root_alone = collective.kind == Kind::gather || collective.kind == Kind::reduce;
  return !root_alone || rank == root;
}

// A stream's number identifies its sender and, if every receiver gets different data, the receiver.
Pattern CheckedRun::given() const {
  if (collective.reduces) return given_numbers(numbers(), rank);
  return {.element_bytes = type.bytes,
          .of = WordPattern{.seed = seed,
                            .stream = number(rank),
                            .step = number(ranks),
                            .block_bytes = shape.count * type.bytes}};
}

Pattern CheckedRun::expected() const {
  if (collective.reduces) {
    return expected_numbers(numbers(), collective.sends_all ? shape.count * rank : 0);
  }
  WordPattern words{.seed = seed, .stream = 0, .step = 1, .block_bytes = shape.count * type.bytes};
  switch (collective.kind) {
    case Kind::broadcast:
      words.stream = number(root);
      break;
    case Kind::scatter:
      words.stream = number(root + ranks * rank);
      break;
    case Kind::alltoall:
      words.stream = number(ranks * rank);
      break;
    case Kind::sendrecv:
      words.stream = number((rank - 1 + ranks) % ranks);
      break;
    default:
      break;
  }
  return {.element_bytes = type.bytes, .of = words};
}

void CheckedRun::for_blocks(
    bool sent, const std::function<void(size_t at, size_t bytes, const Pattern&)>& each) const {
  const int64_t total_bytes = shape.count * type.bytes * ranks;
  size_t at = 0;
  for (int peer = 0; peer < ranks; ++peer) {
    const int from = sent ? rank : peer, to = sent ? peer : rank;
    const int64_t bytes = traffic().bytes(from, to, ranks, total_bytes);
    if (bytes == 0) continue;
    each(at, static_cast<size_t>(bytes),
         {.element_bytes = type.bytes,
          .of = WordPattern{
              .seed = seed, .stream = number(from + ranks * to), .step = 1, .block_bytes = bytes}});
    at += static_cast<size_t>(bytes);
  }
}

void CheckedRun::prepare(Patterns& patterns, std::span<std::byte> send,
                         std::span<std::byte> receive) const {
  if (collective.kind == Kind::alltoallv) {
    for_blocks(false, [&](size_t at, size_t bytes, const Pattern& wanted) {
      patterns.fill(receive.subspan(at, bytes), Inverted{wanted});
    });
    for_blocks(true, [&](size_t at, size_t bytes, const Pattern& mine) {
      patterns.fill(send.subspan(at, bytes), mine);
    });
    return;
  }
  if (shape.count == 0) return;
  const Pattern wanted = expected();
  patterns.fill(receive, Inverted{wanted});
  if (gives()) patterns.fill(send, given());
}

int64_t CheckedRun::count_wrong(Patterns& patterns, std::span<const std::byte> receive) const {
  if (collective.kind == Kind::alltoallv) {
    for_blocks(false, [&](size_t at, size_t bytes, const Pattern& wanted) {
      patterns.check(receive.subspan(at, bytes), wanted);
    });
    return patterns.take_wrong();
  }
  if (!receives() || shape.count == 0) return 0;
  patterns.check(receive, expected());
  return patterns.take_wrong();
}

}  // namespace slipway::bandwidth
