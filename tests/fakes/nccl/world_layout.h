// The layout of the memory that the ranks of a communicator share.
#pragma once

#include "tests/fakes/nccl/world.h"

namespace fake {

struct World::Head {
  std::atomic<uint64_t> attached;
};

struct World::RankSlot {
  std::atomic<uint64_t> entered;  // the collective that this rank is in
  std::atomic<uint64_t> left;     // the last one whose data it has fetched
  int kind, type, op, root;
  uint64_t count;
  std::byte scalar[8];
  char text[256];
};

struct World::PairSlot {
  std::atomic<uint64_t> sent;  // messages
  std::atomic<uint64_t> taken;
  uint64_t at, bytes;  // of the last one sent
};

}  // namespace fake
