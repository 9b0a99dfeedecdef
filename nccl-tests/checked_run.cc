// A checked run of a collective: the data that each rank sends, and the data that it must receive.
#include "nccl-tests/checked_run.h"

namespace slipway::bandwidth {
namespace {

template <class Byte>
std::span<Byte> block_of(std::span<Byte> buffer, int64_t block_bytes, int index) {
  const auto bytes = static_cast<size_t>(block_bytes);
  return buffer.subspan(bytes * static_cast<size_t>(index), bytes);
}

}  // namespace

bool CheckedRun::receives() const {
  const bool to_root_alone = collective.kind == Kind::gather || collective.kind == Kind::reduce;
  return !to_root_alone || rank == root;
}

int64_t CheckedRun::first_of_result() const {
  return collective.sends_all ? shape.count * rank : 0;
}

// A stream's number identifies its sender and, if every receiver gets different data, the receiver.
int CheckedRun::given_stream(int block) const {
  return collective.sends_all ? rank + ranks * block : rank;
}

int CheckedRun::expected_stream(int block) const {
  switch (collective.kind) {
    case Kind::broadcast:
      return root;
    case Kind::scatter:
      return root + ranks * rank;
    case Kind::alltoall:
      return block + ranks * rank;
    case Kind::sendrecv:
      return (rank - 1 + ranks) % ranks;
    default:
      return block;
  }
}

void CheckedRun::prepare(std::span<std::byte> send, std::span<std::byte> receive) const {
  const int64_t block_bytes = shape.count * type.bytes;
  if (collective.reduces) {
    poison_numbers(receive, numbers(), first_of_result());
    fill_numbers(send, numbers(), rank);
    return;
  }
  const int receive_blocks = collective.receives_all ? ranks : 1;
  for (int block = 0; block < receive_blocks; ++block) {
    poison(block_of(receive, block_bytes, block), seed, expected_stream(block));
  }
  const bool root_alone_gives =
      collective.kind == Kind::broadcast || collective.kind == Kind::scatter;
  if (root_alone_gives && rank != root) return;
  const int send_blocks = collective.sends_all ? ranks : 1;
  for (int block = 0; block < send_blocks; ++block) {
    fill(block_of(send, block_bytes, block), seed, given_stream(block));
  }
}

int64_t CheckedRun::count_wrong(std::span<const std::byte> receive) const {
  if (!receives()) return 0;
  if (collective.reduces) return count_wrong_numbers(receive, numbers(), first_of_result());
  int64_t wrong = 0;
  for (int block = 0; block < (collective.receives_all ? ranks : 1); ++block) {
    wrong += count_mismatches(block_of(receive, shape.count * type.bytes, block), type.bytes, seed,
                              expected_stream(block));
  }
  return wrong;
}

}  // namespace slipway::bandwidth
