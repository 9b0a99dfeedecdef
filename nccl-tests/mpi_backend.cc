// The backend of host memory over MPI.
#include "nccl-tests/mpi_backend.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <optional>

// MPI 3 removed the C++ bindings, but Open MPI's header still includes them.
#define OMPI_SKIP_MPICXX 1
#include <fmt/core.h>
#include <mpi.h>

#include "common/error.h"
#include "nccl-tests/mpi_start.h"
#include "nccl-tests/mpi_types.h"
#include "nccl-tests/ranks.h"
#include "nccl-tests/rounds.h"
#include "nccl-tests/traffic.h"
#include "nccl-tests/transport.h"

namespace slipway::bandwidth {
namespace {

// "Open MPI v4.1.4" of "Open MPI v4.1.4, package: …".
std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string all(text, static_cast<size_t>(length));
  return all.substr(0, all.find_first_of(",\n"));
}

MPI_Op operation_of(Combine how) {
  switch (how) {
    case Combine::sum:
      return MPI_SUM;
    case Combine::min:
      return MPI_MIN;
    case Combine::max:
      return MPI_MAX;
  }
  return MPI_OP_NULL;
}

class MpiBackend final : public Backend {
 public:
  MpiBackend(MPI_Comm comm, std::shared_ptr<MpiTypes> types) : comm_(comm), types_(types) {
    MPI_Comm_rank(comm_, &rank_);
    ranks_ = parse_rank_descriptions(share(describe_this_rank()));
  }
  ~MpiBackend() override { leave(); }
  MpiBackend(const MpiBackend&) = delete;
  MpiBackend& operator=(const MpiBackend&) = delete;

  void disconnect() override { leave(); }

  BackendInfo info() const override {
    return {.name = "mpi", .memory = "host", .library = library_version()};
  }
  int rank() const override { return rank_; }
  const std::vector<RankInfo>& ranks() const override { return ranks_; }

  void start(const Operation& op) override;

  // MPI's blocking collectives return when the buffers may be used again.
  void wait() override {}
  void barrier() override { MPI_Barrier(comm_); }

  using Backend::combine;
  void combine(Combine how, std::span<double> values) override {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE,
                  operation_of(how), comm_);
  }

  std::vector<std::string> share(const std::string& text) override;
  std::string transport() const override { return transport_of_this_process(); }

  // Before the data is checked, the root gets its copy of what it has broadcast: MPI makes none, so
  // it is not part of what is timed.
  Patterns& patterns() override {
    if (own_broadcast_)
      std::copy_n(own_broadcast_->send, own_broadcast_->block_bytes(), own_broadcast_->receive);
    own_broadcast_.reset();
    return Backend::patterns();
  }

  void release(std::byte* memory) override {
    own_broadcast_.reset();  // it may be in this memory
    Backend::release(memory);
  }

  std::unique_ptr<Backend> split(int group) override {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(comm_, group, rank_, &part);
    return std::make_unique<MpiBackend>(part, types_);
  }

 private:
  void leave() {
    types_.reset();
    if (comm_ == MPI_COMM_WORLD)
      MPI_Finalize();
    else if (comm_ != MPI_COMM_NULL)
      MPI_Comm_free(&comm_);
    comm_ = MPI_COMM_NULL;
  }

  void start_moving(const Operation& op, const void* send, int count, MPI_Datatype type);
  void start_reducing(const Operation& op, const void* send);
  void exchange(Operation op);
  void reduce_scatter(const Operation& op, bool in_place, int count, MPI_Datatype type,
                      MPI_Op reduction);

  MPI_Comm comm_;
  std::shared_ptr<MpiTypes> types_;
  int rank_ = 0;
  std::vector<RankInfo> ranks_;
  std::optional<Operation> own_broadcast_;  // out of place at the root, the last one
  std::vector<std::byte> result_;  // of an in-place reduce_scatter; what alltoallv sends in place
};

void MpiBackend::start(const Operation& op) {
  const Collective& collective = collective_of(op.kind);
  const int64_t own = op.block_bytes() * rank_;
  const bool in_place =
      op.send == op.receive + (collective.receives_all && !collective.sends_all ? own : 0) ||
      op.send + (collective.sends_all && !collective.receives_all ? own : 0) == op.receive;
  const void* send = in_place ? MPI_IN_PLACE : op.send;
  if (collective.reduces) return start_reducing(op, send);
  const auto [count, type] = types_->count_of(op.block_bytes());
  start_moving(op, send, count, type);
}

// For rooted collectives, MPI accepts "in place" at the root only.
void MpiBackend::start_moving(const Operation& op, const void* send, int count, MPI_Datatype type) {
  const bool in_place = send == MPI_IN_PLACE;
  const bool root = rank_ == op.root;
  std::byte* const receive = op.receive;
  switch (op.kind) {
    case Kind::all_gather:
      MPI_Allgather(send, count, type, receive, count, type, comm_);
      return;
    case Kind::alltoall:
      MPI_Alltoall(send, count, type, receive, count, type, comm_);
      return;
    case Kind::broadcast:
      // MPI_Bcast has one buffer, which it does not write at the root.
      if (root && !in_place) {
        own_broadcast_ = op;
        MPI_Bcast(const_cast<std::byte*>(op.send), count, type, op.root, comm_);
      } else {
        MPI_Bcast(receive, count, type, op.root, comm_);
      }
      return;
    case Kind::gather:
      MPI_Gather(root ? send : op.send, count, type, receive, count, type, op.root, comm_);
      return;
    case Kind::scatter:
      MPI_Scatter(op.send, count, type, root && in_place ? MPI_IN_PLACE : receive, count, type,
                  op.root, comm_);
      return;
    case Kind::sendrecv: {
      const int next = (rank_ + 1) % size(), previous = (rank_ - 1 + size()) % size();
      if (in_place) {
        MPI_Sendrecv_replace(receive, count, type, next, 0, previous, 0, comm_, MPI_STATUS_IGNORE);
      } else {
        MPI_Sendrecv(send, count, type, next, 0, receive, count, type, previous, 0, comm_,
                     MPI_STATUS_IGNORE);
      }
      return;
    }
    case Kind::alltoallv:
    case Kind::hypercube:
      return exchange(op);
    default:
      return;
  }
}

// MPI_Alltoallv's offsets are ints of bytes, too small for these sizes: so each pair of ranks has
// messages of its own, as with NCCL.
void MpiBackend::exchange(Operation op) {
  if (op.kind == Kind::alltoallv && op.send == op.receive) {
    const Traffic::Total total = traffic().total_of(rank_, size(), op.block_bytes() * size());
    result_.assign(op.send, op.send + total.sent_bytes);
    op.send = result_.data();
  }
  std::vector<MPI_Request> requests;
  for (const Exchanges& round : rounds_of(op, rank_, size())) {
    for (const Exchange& one : round) {
      if (one.received_bytes == 0) continue;
      const auto [count, type] = types_->count_of(one.received_bytes);
      MPI_Irecv(one.to, count, type, one.peer, 0, comm_, &requests.emplace_back());
    }
    for (const Exchange& one : round) {
      if (one.sent_bytes == 0) continue;
      const auto [count, type] = types_->count_of(one.sent_bytes);
      MPI_Isend(one.from, count, type, one.peer, 0, comm_, &requests.emplace_back());
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    requests.clear();
  }
}

void MpiBackend::start_reducing(const Operation& op, const void* send) {
  const int count = types_->elements(op.count);
  const MPI_Datatype type = types_->element(op.type);
  const MPI_Op reduction = types_->reduction(op.type, op.reduction);
  std::byte* const receive = op.receive;
  bool has_result = true;
  switch (op.kind) {
    case Kind::all_reduce:
      MPI_Allreduce(send, receive, count, type, reduction, comm_);
      break;
    case Kind::reduce:
      has_result = rank_ == op.root;
      MPI_Reduce(has_result ? send : op.send, receive, count, type, reduction, op.root, comm_);
      break;
    case Kind::reduce_scatter:
      reduce_scatter(op, send == MPI_IN_PLACE, count, type, reduction);
      break;
    default:
      return;
  }
  if (has_result && op.reduction == Reduction::avg) divide(op.type, receive, op.count, size());
}

// In place, MPI puts the result at the start of the buffer, nccl-tests into the rank's block.
void MpiBackend::reduce_scatter(const Operation& op, bool in_place, int count, MPI_Datatype type,
                                MPI_Op reduction) {
  if (!in_place) {
    MPI_Reduce_scatter_block(op.send, op.receive, count, type, reduction, comm_);
    return;
  }
  result_.resize(static_cast<size_t>(op.block_bytes()));
  MPI_Reduce_scatter_block(op.send, result_.data(), count, type, reduction, comm_);
  std::memcpy(op.receive, result_.data(), result_.size());
}

std::vector<std::string> MpiBackend::share(const std::string& text) {
  int ranks = 0;
  MPI_Comm_size(comm_, &ranks);
  const auto n = static_cast<size_t>(ranks);
  const int mine = static_cast<int>(text.size());
  std::vector<int> lengths(n), offsets(n);
  MPI_Allgather(&mine, 1, MPI_INT, lengths.data(), 1, MPI_INT, comm_);
  std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), 0);
  std::string all(static_cast<size_t>(offsets.back() + lengths.back()), '\0');
  MPI_Allgatherv(text.data(), mine, MPI_BYTE, all.data(), lengths.data(), offsets.data(), MPI_BYTE,
                 comm_);
  std::vector<std::string> texts;
  for (size_t i = 0; i < n; ++i) {
    texts.push_back(all.substr(static_cast<size_t>(offsets[i]), static_cast<size_t>(lengths[i])));
  }
  return texts;
}

}  // namespace

bool has_mpi() {
  return true;
}

std::unique_ptr<Backend> make_mpi_backend() {
  start_mpi();
  return std::make_unique<MpiBackend>(MPI_COMM_WORLD, std::make_shared<MpiTypes>());
}

}  // namespace slipway::bandwidth
