// The backend for host memory over TCP: its own rings and chains, without MPI.
#include "nccl-tests/tcp_backend.h"

#include <sys/utsname.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

#include <fmt/core.h>

#include "common/text.h"
#include "nccl-tests/flow.h"
#include "nccl-tests/own_processor.h"
#include "nccl-tests/ranks.h"
#include "nccl-tests/rounds.h"
#include "nccl-tests/schedule.h"
#include "nccl-tests/small_gather.h"
#include "nccl-tests/small_reduce.h"
#include "nccl-tests/spin.h"
#include "nccl-tests/tcp_group.h"
#include "nccl-tests/transport.h"

namespace slipway::bandwidth {
namespace {

std::string kernel_version() {
  utsname name{};
  ::uname(&name);
  return fmt::format("TCP of Linux {}", name.release);
}

// The processor that this rank returns to, if each rank of this host can have one.
struct Home {
  cpu_set_t allowed;
  std::optional<int> processor;

  void return_to() const {
    if (processor) go_to(*processor, allowed);
  }
};

Home home_of(const RankInfo& own, const std::vector<RankInfo>& ranks, uint64_t token) {
  const auto here = static_cast<int>(
      std::ranges::count_if(ranks, [&](const RankInfo& one) { return one.host == own.host; }));
  const cpu_set_t allowed = allowed_processors();
  Spin::choose_patience(here, CPU_COUNT(&allowed));
  return {allowed, own_processor(allowed, own.device, here, token)};
}

class TcpBackend final : public Backend {
 public:
  TcpBackend(TcpGroup group, std::vector<RankInfo> ranks, Home home)
      : group_(std::move(group)), ranks_(std::move(ranks)), home_(home) {}

  BackendInfo info() const override {
    return {.name = "tcp", .memory = "host", .library = kernel_version()};
  }
  void connect(const OnPhase&) override { group_.begin_run(); }
  int rank() const override { return group_.rank(); }
  const std::vector<RankInfo>& ranks() const override { return ranks_; }

  void start(const Operation& operation) override;
  void wait() override {}  // start() returns when the operation is done
  void barrier() override {
    group_.barrier();
    if (Spin::has_slept()) home_.return_to();
  }
  using Backend::combine;
  void combine(Combine how, std::span<double> values) override { group_.combine(how, values); }
  std::vector<std::string> share(const std::string& text) override { return group_.share(text); }

  std::string transport() const override {
    std::set<std::string> found;
    for (const int socket : group_.mesh().sockets()) found.insert("tcp " + interface_of(socket));
    return join(std::vector<std::string>(found.begin(), found.end()), ", ");
  }

  std::unique_ptr<Backend> split(int group) override {
    TcpGroup part = group_.split(group);
    std::vector<int> members;  // ranks of this backend, not of the mesh
    for (const int member : part.members()) {
      const auto found = std::ranges::find(group_.members(), member);
      members.push_back(static_cast<int>(found - group_.members().begin()));
    }
    return std::make_unique<TcpBackend>(std::move(part), subset(ranks_, members), home_);
  }

 private:
  void run_flow(const Operation& operation);
  void run_small_reduce(const Operation& operation, const Place& place);
  void run_small_gather(const Operation& operation, const Place& place);
  void run_ring(const Operation& operation, const Place& place);
  void run_exchange(Operation operation);
  void run_round(const Exchanges& round);

  TcpGroup group_;
  std::vector<RankInfo> ranks_;
  Home home_;
  // Kept, so that timed runs have no page faults.
  std::vector<std::byte> scratch_, arrival_;
  // The sockets to the next and previous rank; -1 before they are needed.
  int next_ = -1, previous_ = -1;
  bool knows_partners_ = false;  // of small reductions
  bool knows_gather_partners_ = false;
};

void TcpBackend::start(const Operation& op) {
  switch (op.kind) {
    case Kind::alltoall:
    case Kind::alltoallv:
    case Kind::hypercube:
    case Kind::gather:
    case Kind::scatter:
    case Kind::sendrecv:
      return run_exchange(op);
    default:
      return run_flow(op);
  }
}

void TcpBackend::run_flow(const Operation& op) {
  const Place place{rank(), size()};
  scratch_.resize(std::max(scratch_.size(), scratch_bytes(op)));
  copy_own_share(op, place);
  if (is_small_reduce(op, size())) {
    run_small_reduce(op, place);
  } else if (is_small_gather(op, size())) {
    run_small_gather(op, place);
  } else if (size() > 1) {
    run_ring(op, place);
  }
  const bool reduces = collective_of(op.kind).reduces;
  const bool has_result = op.kind != Kind::reduce || rank() == op.root;
  if (reduces && has_result && op.reduction == Reduction::avg) {
    divide(op.type, op.receive, op.count, size());
  }
}

void TcpBackend::run_small_reduce(const Operation& op, const Place& place) {
  if (!knows_partners_) group_.open(partners_of(place));
  knows_partners_ = true;
  arrival_.resize(std::max(arrival_.size(), static_cast<size_t>(op.block_bytes())));
  reduce_small(op, place, arrival_, [this](int rank) { return group_.socket_to(rank); });
}

void TcpBackend::run_small_gather(const Operation& op, const Place& place) {
  if (!knows_gather_partners_) group_.open(gather_partners_of(place));
  knows_gather_partners_ = true;
  arrival_.resize(std::max(arrival_.size(), static_cast<size_t>(op.block_bytes() * size())));
  gather_small(op, place, arrival_, [this](int rank) { return group_.socket_to(rank); });
}

void TcpBackend::run_ring(const Operation& op, const Place& place) {
  if (next_ < 0) {
    const int next = (rank() + 1) % size(), previous = (rank() - 1 + size()) % size();
    group_.open({next, previous});
    next_ = group_.socket_to(next);
    previous_ = group_.socket_to(previous);
  }
  Flow flow = schedule(op, place, scratch_);
  flow.next_socket = next_;
  flow.previous_socket = previous_;
  arrival_.resize(std::max(arrival_.size(), static_cast<size_t>(flow.largest_reduced_bytes)));
  flow.arrival = arrival_;
  bandwidth::run(flow);
}

// Exchanges data between all pairs of ranks at the same time.
void TcpBackend::run_exchange(Operation op) {
  const bool swaps =
      op.kind == Kind::alltoall || op.kind == Kind::alltoallv || op.kind == Kind::sendrecv;
  if (op.send == op.receive && swaps) {
    // In place, arriving data would overwrite data that has not been sent yet.
    int64_t bytes = 0;
    const std::vector<Exchanges> rounds = rounds_of(op, rank(), size());
    for (const Exchange& one : rounds.front())
      bytes = std::max<int64_t>(bytes, one.from - op.send + one.sent_bytes);
    const auto all = static_cast<size_t>(bytes);
    scratch_.resize(std::max(scratch_.size(), all));
    std::copy_n(op.send, all, scratch_.data());
    op.send = scratch_.data();
  }
  for (const Exchanges& round : rounds_of(op, rank(), size())) run_round(round);
}

void TcpBackend::run_round(const Exchanges& round) {
  std::vector<Piece> out, in;
  std::vector<int> peers;
  for (const Exchange& one : round) peers.push_back(one.peer);
  group_.open(peers);
  for (const Exchange& one : round) {
    if (one.peer == rank()) {
      if (one.sent_bytes > 0 && one.from != one.to) std::copy_n(one.from, one.sent_bytes, one.to);
      continue;
    }
    const int socket = group_.socket_to(one.peer);
    // send() takes no const; it does not write.
    if (one.sent_bytes > 0)
      out.push_back({socket, const_cast<std::byte*>(one.from), one.sent_bytes});
    if (one.received_bytes > 0) in.push_back({socket, one.to, one.received_bytes});
  }
  exchange(std::move(out), std::move(in));
}

}  // namespace

std::unique_ptr<Backend> make_tcp_backend(const Launch& launch) {
  TcpGroup group(std::make_shared<Mesh>(launch));
  std::vector<RankInfo> ranks = parse_rank_descriptions(group.share(describe_this_rank()));
  const Home home = home_of(ranks.at(static_cast<size_t>(launch.rank)), ranks, launch.token);
  home.return_to();
  return std::make_unique<TcpBackend>(std::move(group), std::move(ranks), home);
}

}  // namespace slipway::bandwidth
