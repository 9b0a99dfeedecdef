// What pairs of ranks exchange in the collectives that consist of sends and receives.
#include "nccl-tests/rounds.h"

#include "nccl-tests/traffic.h"

namespace slipway::bandwidth {
namespace {

Exchanges traffic_round(const Operation& op, int rank, int ranks) {
  const int64_t total_bytes = op.block_bytes() * ranks;
  Exchanges round;
  const std::byte* from = op.send;
  std::byte* to = op.receive;
  for (int peer = 0; peer < ranks; ++peer) {
    const Exchange one{.peer = peer,
                       .from = from,
                       .sent_bytes = traffic().bytes(rank, peer, ranks, total_bytes),
                       .to = to,
                       .received_bytes = traffic().bytes(peer, rank, ranks, total_bytes)};
    from += one.sent_bytes;
    to += one.received_bytes;
    if (one.sent_bytes > 0 || one.received_bytes > 0) round.push_back(one);
  }
  return round;
}

// In each round, two halves of twice the size swap what they have.
std::vector<Exchanges> doubling_rounds(const Operation& op, int rank, int ranks) {
  const int64_t block = op.block_bytes();
  std::vector<Exchanges> rounds;
  std::byte* const own = op.receive + rank * block;
  if (own != op.send) rounds.push_back({{rank, op.send, block, own, block}});
  for (int width = 1; width < ranks; width *= 2) {
    const int first = rank & ~(width - 1), others = first ^ width;
    rounds.push_back({{.peer = rank ^ width,
                       .from = op.receive + first * block,
                       .sent_bytes = block * width,
                       .to = op.receive + others * block,
                       .received_bytes = block * width}});
  }
  return rounds;
}

bool sends(const Operation& op, int from, int to, int ranks) {
  switch (op.kind) {
    case Kind::alltoall:
      return true;
    case Kind::gather:
      return to == op.root;
    case Kind::scatter:
      return from == op.root;
    default:
      return to == (from + 1) % ranks;  // sendrecv
  }
}

}  // namespace

std::vector<Exchanges> rounds_of(const Operation& op, int rank, int ranks) {
  if (op.kind == Kind::hypercube) return doubling_rounds(op, rank, ranks);
  if (op.kind == Kind::alltoallv) return {traffic_round(op, rank, ranks)};
  const Collective& collective = collective_of(op.kind);
  const int64_t block = op.block_bytes();
  Exchanges round;
  for (int peer = 0; peer < ranks; ++peer) {
    const bool gives = sends(op, rank, peer, ranks), gets = sends(op, peer, rank, ranks);
    if (!gives && !gets) continue;
    round.push_back({.peer = peer,
                     .from = op.send + (collective.sends_all ? block * peer : 0),
                     .sent_bytes = gives ? block : 0,
                     .to = op.receive + (collective.receives_all ? block * peer : 0),
                     .received_bytes = gets ? block : 0});
  }
  return {round};
}

}  // namespace slipway::bandwidth
