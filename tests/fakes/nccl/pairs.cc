// Groups of sends and receives: only the ranks that take part wait for each other.
#include <cstring>

#include "tests/fakes/cuda/gpu.h"
#include "tests/fakes/nccl/faults.h"
#include "tests/fakes/nccl/log.h"
#include "tests/fakes/nccl/world_layout.h"

namespace fake {
namespace {

constexpr int protocol_error = 3;

}  // namespace

// Returns not_ready until the message before it is taken.
int World::send_some(const Message& one, std::vector<uint64_t>& sent, size_t& room) {
  PairSlot& to = pair(rank, one.peer);
  uint64_t& before = sent[static_cast<size_t>(one.peer)];
  if (to.taken < before) return not_ready;
  const std::byte* const from = reach(one.at, one.bytes);
  if (from == nullptr && one.bytes > 0) return illegal_address;
  publish(from, one.bytes, room);
  to.at = room;
  to.bytes = one.bytes;
  room += one.bytes;
  to.sent = ++before;
  return ok;
}

int World::take_some(const Message& one) {
  PairSlot& from = pair(one.peer, rank);
  uint64_t& before = taken_[static_cast<size_t>(one.peer)];
  if (from.sent <= before) return not_ready;
  std::byte* const to = reach(one.at, one.bytes);
  if (to == nullptr && one.bytes > 0) return illegal_address;
  if (from.bytes != one.bytes) {
    warn(device, "stand-in:0", "a rank receives another size than was sent");
    async_error_ = protocol_error;
    return not_ready;
  }
  fetch(one.peer, from.at, to, one.bytes);
  from.taken = ++before;
  return ok;
}

int World::run(const std::vector<Message>& group) {
  if (stopped_by_fault()) return ok;
  const auto wrong = fault("FAKE_NCCL_WRONG", world_rank, operations_);
  // What collectives have published may still be needed.
  const uint64_t turn = turn_;
  if (!wait([&] {
        for (int other = 0; other < size; ++other) {
          if (slot(other).left < turn) return false;
        }
        return true;
      }))
    return ok;
  std::vector<bool> done(group.size());
  size_t left = group.size(), room = 0;
  while (left > 0) {
    const size_t before = left;
    for (size_t i = 0; i < group.size(); ++i) {
      if (done[i]) continue;
      const int status = group[i].sends ? send_some(group[i], sent_, room) : take_some(group[i]);
      if (status == illegal_address) return status;
      if (status != ok) continue;
      done[i] = true;
      --left;
      if (wrong && !group[i].sends && group[i].bytes > 0) *reach(group[i].at, 1) ^= std::byte{1};
    }
    int tries = 0;
    if (left == before && !wait([&] { return ++tries > 1; })) return ok;
  }
  // What was sent stays until it is taken.
  wait([&] {
    for (int peer = 0; peer < size; ++peer) {
      if (pair(rank, peer).taken < sent_[static_cast<size_t>(peer)]) return false;
    }
    return true;
  });
  return ok;
}

}  // namespace fake
