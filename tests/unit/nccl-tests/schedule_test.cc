// The steps of the rings and chains of the backend tcp, without a network.
#include "nccl-tests/schedule.h"

#include <numeric>

#include "nccl-tests/collective.h"
#include "tests/unit/catch.h"

using namespace slipway::bandwidth;

namespace {

// What each rank does to buffers of numbers, when it may, in an order that a seed chooses.
class Ring {
 public:
  Ring(int size, int64_t count, bool in_place) : count_(count) {
    for (int rank = 0; rank < size; ++rank) {
      sent_.emplace_back(static_cast<size_t>(count));
      std::iota(sent_.back().begin(), sent_.back().end(), 1000 * rank);
      received_.emplace_back(in_place ? sent_.back() : std::vector<int32_t>(sent_.back().size()));
    }
    for (int rank = 0; rank < size; ++rank) {
      const auto place = static_cast<size_t>(rank);
      Operation op;
      op.kind = Kind::all_reduce;
      op.type = parse_datatypes("int32").front();
      op.reduction = Reduction::sum;
      op.count = count;
      op.receive = reinterpret_cast<std::byte*>(received_[place].data());
      op.send = in_place ? op.receive : reinterpret_cast<std::byte*>(sent_[place].data());
      flows_.push_back(schedule(op, {rank, size}, {}));
      at_.push_back({});
    }
  }

  // Empty if every rank comes to its end.
  std::string run(unsigned seed) {
    uint32_t state = seed;
    for (size_t idle = 0; idle < 64 * flows_.size();) {
      state = state * 1664525 + 1013904223;
      const size_t rank = (state >> 16) % flows_.size();
      const bool moved = send(rank) || receive(rank);
      idle = moved ? 0 : idle + 1;
    }
    for (size_t rank = 0; rank < flows_.size(); ++rank) {
      if (at_[rank].sent < flows_[rank].sent_steps ||
          at_[rank].received < flows_[rank].received_steps)
        return "rank " + std::to_string(rank) + " waits forever";
    }
    return "";
  }

  bool is_right() const {
    const auto size = static_cast<int32_t>(flows_.size());
    for (const auto& result : received_) {
      for (int64_t i = 0; i < count_; ++i) {
        const int32_t sum = size * static_cast<int32_t>(i) + 1000 * size * (size - 1) / 2;
        if (result[static_cast<size_t>(i)] != sum) return false;
      }
    }
    return true;
  }

  // How many steps a rank can send before anything has arrived.
  int64_t sent_without_an_answer(size_t rank) {
    while (send(rank)) {
    }
    return at_[rank].sent;
  }

 private:
  struct At {
    int64_t sent = 0, received = 0;
    std::vector<std::vector<std::byte>> arriving;  // from the previous rank
  };

  bool send(size_t rank) {
    At& own = at_[rank];
    if (own.sent == flows_[rank].sent_steps) return false;
    const Flow::Sent step = flows_[rank].sent(own.sent);
    if (step.needs >= own.received) return false;
    ++own.sent;
    at_[(rank + 1) % flows_.size()].arriving.emplace_back(step.from, step.from + step.bytes);
    return true;
  }

  bool receive(size_t rank) {
    At& own = at_[rank];
    if (own.arriving.empty()) return false;
    const Flow::Received step = flows_[rank].received(own.received);
    const std::vector<std::byte> got = own.arriving.front();
    own.arriving.erase(own.arriving.begin());
    ++own.received;
    REQUIRE(static_cast<int64_t>(got.size()) == step.bytes);
    if (step.add != nullptr && step.add != step.to) std::copy_n(step.add, step.bytes, step.to);
    if (step.add == nullptr)
      std::copy_n(got.data(), step.bytes, step.to);
    else
      reduce_into(parse_datatypes("int32").front(), Reduction::sum, got.data(), step.to,
                  step.bytes / 4);
    return true;
  }

  int64_t count_;
  std::vector<std::vector<int32_t>> sent_, received_;
  std::vector<Flow> flows_;
  std::vector<At> at_;
};

}  // namespace

TEST_CASE("schedule: every order of an all_reduce's steps ends, and every rank has the sum") {
  for (const int size : {2, 3, 4, 7}) {
    for (const int64_t count : {1, 5, 70'000, 300'001, 700'000}) {
      for (const bool in_place : {false, true}) {
        for (const unsigned seed : {1U, 2U}) {
          CAPTURE(size, count, in_place, seed);
          Ring ring(size, count, in_place);
          CHECK(ring.run(seed) == "");
          CHECK(ring.is_right());
        }
      }
    }
  }
}

TEST_CASE("schedule: ranks of an all_reduce send further chunks while they wait for an answer") {
  // Half of 4 MiB for each of two ranks: eight chunks, four of which are sent ahead.
  CHECK(Ring(2, 1 << 20, false).sent_without_an_answer(0) == 4);
  // A single chunk has nothing to send ahead.
  CHECK(Ring(2, 1 << 10, false).sent_without_an_answer(0) == 1);
}
