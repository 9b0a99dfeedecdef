// Moving data along a ring or a chain of ranks: what comes in from the one before goes on to the
// next one while it is still coming in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "nccl-tests/reduction.h"

namespace slipway::bandwidth {

// A rank's part in it: steps that are sent in order, and steps that are received in order. Every
// rank's received steps are the sent ones of the rank before, with the same bytes.
struct Flow {
  struct Sent {
    const std::byte* from = nullptr;
    int64_t bytes = 0;
    int64_t needs = -1;  // the received step that it is made of, byte by byte; -1: of none
  };
  struct Received {
    std::byte* to = nullptr;
    int64_t bytes = 0;
    const std::byte* add = nullptr;  // own elements that are reduced with it; none: it is copied
    int64_t after = -1;              // the sent step that must have left memory before; -1: none
  };

  int next_socket = -1;
  int previous_socket = -1;
  int64_t sent_steps = 0;
  int64_t received_steps = 0;
  std::function<Sent(int64_t)> sent;
  std::function<Received(int64_t)> received;
  Datatype type;  // of what is reduced
  Reduction reduction = Reduction::sum;
  int64_t largest_reduced_bytes = 0;  // of a step that is reduced
};

// Throws Error when another rank has gone.
void run(const Flow& flow);

// Pieces of memory that go to, or come from, one other rank each, all at once.
struct Piece {
  int socket = -1;
  std::byte* data = nullptr;
  int64_t bytes = 0;
};
void exchange(std::vector<Piece> to_send, std::vector<Piece> to_receive);

}  // namespace slipway::bandwidth
