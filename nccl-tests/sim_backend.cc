// The backend with virtual time: operations take the time that a simulated cluster would need.
#include "nccl-tests/sim_backend.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/core.h>

#include "common/error.h"
#include "nccl-tests/traffic.h"

namespace slipway::bandwidth {
namespace {

class SimBackend final : public Backend {
 public:
  SimBackend(SimWorld world, const std::vector<int>& nodes, uint64_t stream)
      : world_(std::move(world)), stream_(stream), nodes_(nodes), speed_(ring_speed(-1)) {
    for (const int node : nodes) {
      for (int i = 0; i < world_.ranks_per_node; ++i) {
        ranks_.push_back({.rank = static_cast<int>(ranks_.size()),
                          .pid = 0,
                          .host = SimWorld::name_of(node),
                          .device = i,
                          .device_id = world_.memory == "host" ? "host memory" : "simulated",
                          .device_name = "simulated"});
      }
    }
  }

  BackendInfo info() const override {
    return {.name = "sim", .memory = world_.memory, .library = "virtual time"};
  }
  int rank() const override { return 0; }
  const std::vector<RankInfo>& ranks() const override { return ranks_; }
  double seconds() const override { return now_; }

  // The bytes that a rank sends, at the speed of the slowest link between neighbors in the ring,
  // and one latency for each doubling of the number of ranks.
  void start(const Operation& op) override {
    const Collective& collective = collective_of(op.kind);
    const auto n = static_cast<double>(size());
    const int64_t blocks = collective.sends_all || collective.receives_all ? size() : 1;
    int64_t bytes = op.block_bytes() * blocks;
    if (op.kind == Kind::alltoallv) {
      const Traffic::Total most = traffic().largest(size(), bytes);
      bytes = std::max(most.sent_bytes, most.received_bytes);
    }
    const double factor = collective.algbw_factor(size()) * collective.busbw_factor(size());
    const double transfer_us = static_cast<double>(bytes) * factor / speed_of(op) / 1e3;
    const double latency_us = world_.latency_us * std::ceil(std::log2(n));
    const double us = (latency_us + transfer_us) * world_.noise_of(stream_, runs_++);
    now_ += us * 1e-6;
  }
  void wait() override {}
  bool moves_data() const override { return false; }
  void barrier() override {}

  using Backend::combine;
  void combine(Combine how, std::span<double> values) override {
    if (how != Combine::sum) return;
    for (double& value : values) value *= size();  // every rank has the same
  }
  std::vector<std::string> share(const std::string& text) override {
    return std::vector<std::string>(ranks_.size(), text);
  }
  std::string transport() const override { return world_.transport; }
  std::unique_ptr<Backend> split(int) override { return nullptr; }

  // No byte of a buffer is read or written, so one is enough.
  std::byte* allocate(size_t) override { return Backend::allocate(1); }

 private:
  // A broadcast is a chain: nothing is sent to the node that it begins at.
  double speed_of(const Operation& op) const {
    if (op.kind != Kind::broadcast || nodes_.size() < 2) return speed_;
    return ring_speed(op.root / world_.ranks_per_node);
  }

  // Of the slowest link between neighbors in the ring, without the one to the node at `place`.
  double ring_speed(int place) const {
    double least = world_.ranks_per_node > 1 ? world_.speed(0, 0) : HUGE_VAL;
    for (size_t i = 0; i < nodes_.size() && nodes_.size() > 1; ++i) {
      const size_t next = (i + 1) % nodes_.size();
      if (static_cast<int>(next) != place)
        least = std::min(least, world_.speed(nodes_[i], nodes_[next]));
    }
    return least;
  }

  SimWorld world_;
  uint64_t stream_;
  std::vector<int> nodes_;
  double speed_;  // of the whole ring
  std::vector<RankInfo> ranks_;
  double now_ = 0;
  uint64_t runs_ = 0;
};

}  // namespace

std::unique_ptr<Backend> make_sim_backend(SimWorld world) {
  std::vector<int> nodes(static_cast<size_t>(world.nodes));
  std::iota(nodes.begin(), nodes.end(), 0);
  if (!world.dead.empty()) {
    throw Error(fmt::format("{} is dead, and the run is on all nodes",
                            SimWorld::name_of(*world.dead.begin())));
  }
  return make_sim_backend(std::move(world), nodes, 0);
}

std::unique_ptr<Backend> make_sim_backend(SimWorld world, const std::vector<int>& nodes,
                                          uint64_t stream) {
  return std::make_unique<SimBackend>(std::move(world), nodes, stream);
}

}  // namespace slipway::bandwidth
