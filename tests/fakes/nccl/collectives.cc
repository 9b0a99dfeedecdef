// Collectives: each rank publishes what it sends, and fetches what it gets.
#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "tests/fakes/cuda/gpu.h"
#include "tests/fakes/nccl/elements.h"
#include "tests/fakes/nccl/faults.h"
#include "tests/fakes/nccl/log.h"
#include "tests/fakes/nccl/world_layout.h"

namespace fake {
namespace {

constexpr int internal_error = 3, unhandled_cuda_error = 1;

bool sends_all(Kind kind) {
  return kind == Kind::reduce_scatter || kind == Kind::alltoall || kind == Kind::scatter;
}

bool receives_all(Kind kind) {
  return kind == Kind::all_gather || kind == Kind::alltoall || kind == Kind::gather;
}

// Harms the data that has arrived, as ordered. `before` is what the buffer had.
void harm(const std::string& how, std::byte* at, size_t bytes, size_t block,
          const std::vector<std::byte>& before) {
  if (bytes == 0) return;
  if (how == "flip")
    at[bytes / 2] ^= std::byte{1};
  else if (how == "zeros")
    std::memset(at, 0, bytes);
  else if (how == "nothing")
    std::copy(before.begin(), before.end(), at);
  else if (how == "late")
    std::copy(before.end() - static_cast<std::ptrdiff_t>(block), before.end(), at + bytes - block);
  else if (how == "rotate")
    std::rotate(at, at + (block < bytes ? block : std::min<size_t>(8, bytes - 1)), at + bytes);
  else
    throw std::runtime_error("FAKE_NCCL_WRONG: unknown harm " + how);
}

}  // namespace

bool World::stopped_by_fault() {
  ++operations_;
  const auto late = fault("FAKE_NCCL_MICROSECONDS", world_rank, operations_);
  const int microseconds = late ? std::atoi(late->c_str()) : 0;
  std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
  // In the time of events, too, of which a hundred instructions are a microsecond.
  pass_time(device, 100 * (1 + static_cast<uint64_t>(microseconds)));
  const auto error = fault("FAKE_NCCL_ERROR", world_rank, operations_);
  const bool hangs = fault("FAKE_NCCL_HANG", world_rank, operations_).has_value();
  if (error) {
    warn(device, "transport/net_ib.cc:1234",
         "NET/IB: Got completion from peer with status=12 opcode=0 len=0 vendor err 129");
    async_error_ = std::atoi(error->c_str());
  }
  if (!error && !hangs) return false;
  wait([] { return false; });
  return true;
}

// Tells the others what this rank does, and that it is there; a Status.
int World::enter(const Operation& op, uint64_t turn) {
  // What was published before may be overwritten when all have it.
  const auto all = [&](const auto& there) {
    for (int other = 0; other < size; ++other) {
      if (!there(slot(other))) return false;
    }
    return true;
  };
  if (!wait([&] { return all([&](RankSlot& one) { return one.left >= turn - 1; }); }))
    return not_ready;
  const size_t bytes = op.count * static_cast<size_t>(bytes_of(op.type)) *
                       static_cast<size_t>(sends_all(op.kind) ? size : 1);
  const bool root_alone = op.kind == Kind::broadcast || op.kind == Kind::scatter;
  if (op.kind != Kind::split && (!root_alone || rank == op.root)) {
    const std::byte* const from = reach(op.send, bytes);
    if (from == nullptr && bytes > 0) return illegal_address;
    publish(from, bytes, 0);
  }
  RankSlot& own = slot(rank);
  own.kind = static_cast<int>(op.kind);
  own.type = op.type;
  own.op = op.op;
  own.root = op.root;
  own.count = op.count;
  std::copy_n(op.scalar, sizeof op.scalar, own.scalar);
  own.entered = turn;
  if (!wait([&] { return all([&](RankSlot& one) { return one.entered >= turn; }); }))
    return not_ready;
  const bool same = all([&](RankSlot& one) {
    return one.kind == own.kind && one.type == own.type && one.op == own.op &&
           one.root == own.root && one.count == own.count;
  });
  if (same) return ok;
  // The real NCCL does not notice, and hangs or gives wrong data.
  warn(device, "stand-in:0", "ranks call different collectives");
  async_error_ = internal_error;
  wait([] { return false; });
  return not_ready;
}

void World::receive(const Operation& op, std::byte* to) {
  const size_t block = op.count * static_cast<size_t>(bytes_of(op.type));
  const size_t own = block * static_cast<size_t>(rank);
  switch (op.kind) {
    case Kind::all_gather:
    case Kind::gather:
    case Kind::alltoall:
      for (int from = 0; from < size; ++from)
        fetch(from, op.kind == Kind::alltoall ? own : 0, to + block * static_cast<size_t>(from),
              block);
      break;
    case Kind::broadcast:
    case Kind::scatter:
      fetch(op.root, op.kind == Kind::scatter ? own : 0, to, block);
      break;
    default:
      fetch_reduced(op, op.kind == Kind::reduce_scatter ? own : 0, to, block);
  }
}

int World::run(const Operation& op) {
  const uint64_t turn = ++turn_;
  if (stopped_by_fault()) return ok;
  const int status = enter(op, turn);
  if (status == not_ready) return ok;  // aborted
  if (status != ok) async_error_ = unhandled_cuda_error;
  if (status != ok) return status;
  const bool at_root = op.kind == Kind::gather || op.kind == Kind::reduce;
  if (op.kind != Kind::split && (!at_root || rank == op.root)) {
    const size_t block = op.count * static_cast<size_t>(bytes_of(op.type));
    const size_t bytes = block * static_cast<size_t>(receives_all(op.kind) ? size : 1);
    std::byte* const to = reach(op.receive, bytes);
    if (to == nullptr && bytes > 0) return illegal_address;
    const auto wrong = fault("FAKE_NCCL_WRONG", world_rank, operations_);
    const std::vector<std::byte> before(to, to + (wrong ? bytes : 0));
    receive(op, to);
    if (wrong) harm(*wrong, to, bytes, block, before);
  }
  slot(rank).left = turn;
  return ok;
}

std::vector<std::string> World::share(const std::string& text) {
  text.copy(slot(rank).text, sizeof slot(rank).text - 1);
  const uint64_t turn = ++turn_;
  enter({.kind = Kind::split}, turn);
  std::vector<std::string> all;
  for (int other = 0; other < size; ++other) all.emplace_back(slot(other).text);
  slot(rank).left = turn;
  return all;
}

}  // namespace fake
