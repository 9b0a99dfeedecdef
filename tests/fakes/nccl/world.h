// What the ranks of a communicator share, between processes of one host: who has come how far, and
// what each sends.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fake {

enum class Kind : int {
  all_gather,
  all_reduce,
  reduce_scatter,
  broadcast,
  reduce,
  alltoall,
  gather,
  scatter,
  split,
};

struct Operation {
  Kind kind = Kind::all_gather;
  const void* send = nullptr;
  void* receive = nullptr;
  size_t count = 0;  // as in the call
  int type = 0;
  int op = 0;  // of ncclRedOp_t, or a sum of products with `scalar`
  int root = 0;
  bool multiplies = false;
  std::byte scalar[8] = {};
};

struct Message {  // a send or a receive
  bool sends = false;
  void* at = nullptr;
  size_t bytes = 0;
  int peer = 0;
};

class World {
 public:
  // Meets the other ranks; returns when all are there. Throws std::runtime_error.
  World(const std::string& id, int rank, int size, int device, int world_rank);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // On the thread of a stream; these return a Status.
  int run(const Operation& operation);
  int run(const std::vector<Message>& group);
  // The texts of all ranks, in order; collective.
  std::vector<std::string> share(const std::string& text);

  void abort() { aborted_ = true; }
  int async_error() const { return async_error_; }
  const std::string& id() const { return id_; }

  const int rank, size, device, world_rank;

 private:
  struct Head;
  struct RankSlot;
  struct PairSlot;

  // Waits until `there`; false after abort().
  bool wait(const std::function<bool()>& there) const;
  RankSlot& slot(int rank) const;
  PairSlot& pair(int from, int to) const;
  void publish(const std::byte* data, size_t bytes, size_t at);
  void fetch(int from, size_t at, std::byte* to, size_t bytes) const;
  void fetch_reduced(const Operation& op, size_t at, std::byte* to, size_t bytes) const;
  int enter(const Operation& op, uint64_t turn);
  void receive(const Operation& op, std::byte* to);
  // Whether something was ordered that ends the operation here.
  bool stopped_by_fault();
  int send_some(const Message& one, std::vector<uint64_t>& sent, size_t& room);
  int take_some(const Message& one);

  std::string id_;
  std::byte* shared_ = nullptr;
  size_t shared_bytes_ = 0;
  std::vector<int> boxes_;  // descriptors of what each rank has published
  uint64_t turn_ = 0;       // of collectives
  int64_t operations_ = 0;
  std::vector<uint64_t> sent_, taken_;  // by peer
  std::atomic<bool> aborted_ = false;
  std::atomic<int> async_error_ = 0;
};

}  // namespace fake
