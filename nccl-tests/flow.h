// Moves data along a ring or a chain of ranks. A rank forwards data to the next rank while it is
// still arriving from the previous one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "nccl-tests/reduction.h"

namespace slipway::bandwidth {

// One rank's part: the steps that it sends, in order, and those that it receives, in order. The
// steps that a rank receives are those that the previous rank sends, with the same sizes.
struct Flow {
  struct Sent {
    const std::byte* from = nullptr;
    int64_t bytes = 0;
    int64_t needs = -1;  // the received step that it forwards, byte by byte; -1: none
  };
  struct Received {
    std::byte* to = nullptr;
    int64_t bytes = 0;
    const std::byte* add = nullptr;  // own elements to reduce with it; nullptr: it is copied
    int64_t after = -1;              // the step that must have been sent before; -1: none
  };

  int next_socket = -1;
  int previous_socket = -1;
  int64_t sent_steps = 0;
  int64_t received_steps = 0;
  std::function<Sent(int64_t)> sent;
  std::function<Received(int64_t)> received;
  Datatype type;  // of a reduction
  Reduction reduction = Reduction::sum;
  int64_t largest_reduced_bytes = 0;  // of a step that is reduced
  std::span<std::byte> arrival = {};  // room for such a step; it must stay valid while this runs
};

// Throws Error if another rank has closed its connection.
void run(const Flow& flow);

// Memory to send to, or receive from, one other rank. exchange() moves all pieces at once.
struct Piece {
  int socket = -1;
  std::byte* data = nullptr;
  int64_t bytes = 0;
};
void exchange(std::vector<Piece> to_send, std::vector<Piece> to_receive);

// Called whenever data has moved, with how much of both has by then.
using Moved = std::function<void(int64_t sent_bytes, int64_t received_bytes)>;

// Sends to one rank and receives from another at the same time; swap_with() does both with one.
void move_between(int out, const std::byte* from, int64_t sent_bytes, int in, std::byte* to,
                  int64_t received_bytes, const Moved& moved = {});
void swap_with(int socket, const std::byte* from, int64_t sent_bytes, std::byte* to,
               int64_t received_bytes, const Moved& moved = {});

}  // namespace slipway::bandwidth
