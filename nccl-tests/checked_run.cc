// A checked run of a collective: the data that each rank sends, and the data that it must receive.
#include "nccl-tests/checked_run.h"

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

void CheckedRun::prepare(Patterns& patterns, std::span<std::byte> send,
                         std::span<std::byte> receive) const {
  if (shape.count == 0) return;
  const Pattern wanted = expected();
  patterns.fill(receive, Inverted{wanted});
  if (gives()) patterns.fill(send, given());
}

int64_t CheckedRun::count_wrong(Patterns& patterns, std::span<const std::byte> receive) const {
  if (!receives() || shape.count == 0) return 0;
  patterns.check(receive, expected());
  return patterns.take_wrong();
}

}  // namespace slipway::bandwidth
