// A backend for tests: ranks are threads, the clock is virtual, and the network can corrupt data.
#pragma once

#include <algorithm>
#include <barrier>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "nccl-tests/backend.h"

namespace slipway::bandwidth {

class FakeWorld {
 public:
  // Corrupts the data that arrived at a rank: `receive` has one block of `block_bytes` per rank.
  using Harm = std::function<void(int rank, std::byte* receive, size_t block_bytes)>;

  struct Settings {
    int size = 4;
    int ranks_per_host = 2;
    double seconds_per_operation = 1e-3;  // on rank 0
    double slower_by_rank = 0;            // rank r takes (1 + r × this) times that
    Harm harm = nullptr;
    bool delivers = true;
    double trend = 0;  // each operation takes this share longer than the one before
  };

  explicit FakeWorld(Settings settings)
      : settings_(std::move(settings)),
        meeting_(settings_.size),
        sends_(static_cast<size_t>(settings_.size)),
        values_(static_cast<size_t>(settings_.size)),
        texts_(static_cast<size_t>(settings_.size)) {
    for (int r = 0; r < settings_.size; ++r) {
      ranks_.push_back({.rank = r,
                        .pid = 1000 + r,
                        .host = "node" + std::to_string(r / settings_.ranks_per_host),
                        .device = r % settings_.ranks_per_host,
                        .device_id = "host memory",
                        .device_name = "fake CPU"});
    }
  }

  // Runs `body` on all ranks at once, and returns their results.
  template <class Body>
  auto run(Body body) {
    using Result = decltype(body(std::declval<Backend&>()));
    std::vector<Result> results(ranks_.size());
    {
      std::vector<std::jthread> threads;
      for (int r = 0; r < settings_.size; ++r) {
        threads.emplace_back([&, r] {
          Rank backend(*this, r);
          results[static_cast<size_t>(r)] = body(backend);
        });
      }
    }
    return results;
  }

 private:
  class Rank final : public Backend {
   public:
    Rank(FakeWorld& world, int rank) : world_(world), rank_(rank) {}

    BackendInfo info() const override { return {"fake", "host", "threads 1.0"}; }
    int rank() const override { return rank_; }
    const std::vector<RankInfo>& ranks() const override { return world_.ranks_; }
    double seconds() const override { return now_; }
    void wait() override {}
    void barrier() override { world_.meeting_.arrive_and_wait(); }

    // Only an all_gather.
    void start(const Operation& operation) override {
      std::byte* const receive = operation.receive;
      const auto bytes = static_cast<size_t>(operation.block_bytes());
      world_.sends_[static_cast<size_t>(rank_)] = operation.send;
      barrier();
      for (size_t source = 0; world_.settings_.delivers && source < world_.sends_.size();
           ++source) {
        std::byte* const block = receive + source * bytes;
        if (block != world_.sends_[source]) std::memcpy(block, world_.sends_[source], bytes);
      }
      barrier();
      if (world_.settings_.harm) world_.settings_.harm(rank_, receive, bytes);
      now_ +=
          world_.settings_.seconds_per_operation *
          (1 + rank_ * world_.settings_.slower_by_rank + operations_++ * world_.settings_.trend);
    }

    using Backend::combine;
    void combine(Combine how, std::span<double> values) override {
      const auto own = static_cast<size_t>(rank_);
      world_.values_[own].assign(values.begin(), values.end());
      barrier();
      for (size_t i = 0; i < values.size(); ++i) {
        values[i] = world_.values_[0][i];
        for (size_t r = 1; r < world_.values_.size(); ++r) {
          const double other = world_.values_[r][i];
          if (how == Combine::sum) values[i] += other;
          if (how == Combine::min) values[i] = std::min(values[i], other);
          if (how == Combine::max) values[i] = std::max(values[i], other);
        }
      }
      barrier();
    }

    std::vector<std::string> share(const std::string& text) override {
      world_.texts_[static_cast<size_t>(rank_)] = text;
      barrier();
      const std::vector<std::string> all = world_.texts_;
      barrier();
      return all;
    }
    std::string transport() const override { return "threads"; }
    std::unique_ptr<Backend> split(int) override { return nullptr; }

   private:
    FakeWorld& world_;
    int rank_;
    double now_ = 0;
    int operations_ = 0;
  };

  Settings settings_;
  std::barrier<> meeting_;
  std::vector<RankInfo> ranks_;
  std::vector<const std::byte*> sends_;
  std::vector<std::vector<double>> values_;
  std::vector<std::string> texts_;
};

}  // namespace slipway::bandwidth
