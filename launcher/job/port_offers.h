// Ports on this node at which the first rank of an attempt can listen.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "common/fd.h"

namespace slipway::job {

// No two offers on a node have a port in common as long as one of their agents runs: not those of
// two attempts, two steps, two jobs or two users.
class PortOffers {
 public:
  // All ports are below Linux's ephemeral ones (32768 and above), which any connection may get.
  static constexpr int64_t first = 20000, last = 32000;

  // `seed` chooses where the search begins, so that offers differ from those of earlier agents.
  explicit PortOffers(uint64_t seed);

  // Two ports that no program on this node uses. They stay reserved until the offer after the next
  // one: the tasks of the attempt may bind them at any time. Empty if no port is free.
  std::vector<int64_t> next();

 private:
  struct Held {
    int64_t port = 0;
    Fd reservation;
  };
  bool reserve(int64_t port, std::vector<Held>& held) const;

  int64_t cursor_;
  std::deque<std::vector<Held>> held_;
};

}  // namespace slipway::job
