// The backend for GPU memory over NCCL: one process and one GPU for each rank.
#include "nccl-tests/nccl_backend.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <fmt/core.h>

#include "common/error.h"
#include "nccl-tests/agreed_error.h"
#include "nccl-tests/nccl_library.h"
#include "nccl-tests/nccl_log.h"
#include "nccl-tests/ranks.h"
#include "nccl-tests/tcp_group.h"

namespace slipway::bandwidth {
namespace {

constexpr int copy_in_any_direction = 4;  // cudaMemcpyDefault

using Library = std::shared_ptr<const NcclLibrary>;

class NcclBackend final : public Backend {
 public:
  NcclBackend(Library library, std::shared_ptr<NcclLog> log, TcpGroup group,
              std::vector<RankInfo> ranks, NcclComm comm)
      : library_(std::move(library)),
        log_(std::move(log)),
        group_(std::move(group)),
        ranks_(std::move(ranks)),
        comm_(comm) {
    library_->check_cuda(library_->cudaStreamCreate(&stream_), "cudaStreamCreate");
  }
  ~NcclBackend() override {
    library_->cudaStreamDestroy(stream_);
    library_->ncclCommDestroy(comm_);
  }
  NcclBackend(const NcclBackend&) = delete;
  NcclBackend& operator=(const NcclBackend&) = delete;

  BackendInfo info() const override {
    return {.name = "nccl", .memory = "gpu", .library = library_->version()};
  }
  int rank() const override { return group_.rank(); }
  const std::vector<RankInfo>& ranks() const override { return ranks_; }

  void start(const Operation& op) override;
  void wait() override {
    library_->check_cuda(library_->cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    int failed = 0;
    library_->check_nccl(library_->ncclCommGetAsyncError(comm_, &failed), "ncclCommGetAsyncError");
    library_->check_nccl(failed, "NCCL failed");
  }
  // NCCL does not order a send and a receive of the same group.
  bool works_in_place(Kind kind) const override {
    return kind != Kind::alltoall && kind != Kind::sendrecv;
  }

  void barrier() override { group_.barrier(); }
  using Backend::combine;
  void combine(Combine how, std::span<double> values) override { group_.combine(how, values); }
  std::vector<std::string> share(const std::string& text) override { return group_.share(text); }
  std::string transport() const override { return log_->transports(); }
  std::unique_ptr<Backend> split(int group) override;

  std::byte* allocate(size_t bytes) override {
    void* memory = nullptr;
    bytes = std::max<size_t>(bytes, 1);
    library_->check_cuda(library_->cudaMalloc(&memory, bytes), "cudaMalloc");
    library_->check_cuda(library_->cudaMemset(memory, 0, bytes), "cudaMemset");
    return static_cast<std::byte*>(memory);
  }
  void release(std::byte* memory) override { library_->cudaFree(memory); }
  bool in_host_memory() const override { return false; }
  int64_t available_memory_bytes() const override {
    size_t free = 0, total = 0;
    library_->check_cuda(library_->cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return static_cast<int64_t>(free);
  }
  void copy_in(std::span<const std::byte> from, std::byte* to) override {
    copy(to, from.data(), from.size());
  }
  void copy_out(const std::byte* from, std::span<std::byte> to) override {
    copy(to.data(), from, to.size());
  }

 private:
  void copy(void* to, const void* from, size_t bytes) {
    library_->check_cuda(library_->cudaMemcpy(to, from, bytes, copy_in_any_direction),
                         "cudaMemcpy");
  }
  int start_alone(const Operation& op);
  void start_pairs(const Operation& op);

  Library library_;
  std::shared_ptr<NcclLog> log_;
  TcpGroup group_;
  std::vector<RankInfo> ranks_;
  NcclComm comm_;
  CudaStream stream_ = nullptr;
};

void NcclBackend::start(const Operation& op) {
  switch (op.kind) {
    case Kind::alltoall:
    case Kind::gather:
    case Kind::scatter:
    case Kind::sendrecv:
      return start_pairs(op);
    default:
      library_->check_nccl(start_alone(op), collective_of(op.kind).name.data());
  }
}

// Collectives that NCCL has a function for, since 2.2 or earlier.
int NcclBackend::start_alone(const Operation& op) {
  const auto count = static_cast<size_t>(op.count);
  const int type = static_cast<int>(op.type.element), reduction = static_cast<int>(op.reduction);
  const NcclLibrary& nccl = *library_;
  switch (op.kind) {
    case Kind::all_gather:
      return nccl.ncclAllGather(op.send, op.receive, count, type, comm_, stream_);
    case Kind::all_reduce:
      return nccl.ncclAllReduce(op.send, op.receive, count, type, reduction, comm_, stream_);
    case Kind::reduce_scatter:
      return nccl.ncclReduceScatter(op.send, op.receive, count, type, reduction, comm_, stream_);
    case Kind::broadcast:
      return nccl.ncclBroadcast(op.send, op.receive, count, type, op.root, comm_, stream_);
    case Kind::reduce:
      return nccl.ncclReduce(op.send, op.receive, count, type, reduction, op.root, comm_, stream_);
    default:
      return 0;
  }
}

// The other collectives, as in nccl-tests: sends and receives in a group.
void NcclBackend::start_pairs(const Operation& op) {
  const Collective& collective = collective_of(op.kind);
  const auto count = static_cast<size_t>(op.count);
  const int type = static_cast<int>(op.type.element);
  const int own = rank(), n = size();
  const NcclLibrary& nccl = *library_;
  nccl.check_nccl(nccl.ncclGroupStart(), "ncclGroupStart");
  for (int peer = 0; peer < n; ++peer) {
    const bool all = op.kind == Kind::alltoall, ring = op.kind == Kind::sendrecv;
    const bool to_peer = all || (op.kind == Kind::gather && peer == op.root) ||
                         (op.kind == Kind::scatter && own == op.root) ||
                         (ring && peer == (own + 1) % n);
    const bool from_peer = all || (op.kind == Kind::gather && own == op.root) ||
                           (op.kind == Kind::scatter && peer == op.root) ||
                           (ring && own == (peer + 1) % n);
    const std::byte* from = op.send + (collective.sends_all ? op.block_bytes() * peer : 0);
    std::byte* to = op.receive + (collective.receives_all ? op.block_bytes() * peer : 0);
    if (to_peer)
      nccl.check_nccl(nccl.ncclSend(from, count, type, peer, comm_, stream_), "ncclSend");
    if (from_peer)
      nccl.check_nccl(nccl.ncclRecv(to, count, type, peer, comm_, stream_), "ncclRecv");
  }
  nccl.check_nccl(nccl.ncclGroupEnd(), "ncclGroupEnd");
}

std::unique_ptr<Backend> NcclBackend::split(int group) {
  NcclComm part = nullptr;
  library_->check_nccl(library_->ncclCommSplit(comm_, group, rank(), &part, nullptr),
                       "ncclCommSplit");
  TcpGroup members = group_.split(group);
  std::vector<int> places;
  for (const int member : members.members()) {
    const auto found = std::ranges::find(group_.members(), member);
    places.push_back(static_cast<int>(found - group_.members().begin()));
  }
  return std::make_unique<NcclBackend>(library_, log_, std::move(members), subset(ranks_, places),
                                       part);
}

// The GPU of this rank: by its number among the ranks of its host, or by nccl-tests' variable.
int device_of(const Launch& launch, const std::vector<RankInfo>& ranks, int devices) {
  if (const char* chosen = std::getenv("NCCL_TESTS_DEVICE")) return std::atoi(chosen);
  const RankInfo& own = ranks.at(static_cast<size_t>(launch.rank));
  if (own.device < devices) return own.device;
  throw Error(fmt::format("there is no GPU for rank {}: {} has {}, and {} ranks", launch.rank,
                          own.host, devices, ranks_on_host_of(launch.rank, ranks)));
}

AgreedError for_all(const TcpGroup& group, const std::string& text) {
  return AgreedError(text, group.rank() == 0, [all = group]() mutable { all.barrier(); });
}

// All ranks must learn about the failure of one, or they would wait for it.
template <class Step>
void agree(TcpGroup& group, Step step) {
  std::string failure;
  try {
    step();
  } catch (const Error& error) {
    failure = error.what();
  }
  const std::vector<std::string> all = group.share(failure);
  for (size_t rank = 0; rank < all.size(); ++rank) {
    if (!all[rank].empty()) throw for_all(group, fmt::format("rank {}: {}", rank, all[rank]));
  }
}

void require_same_version(TcpGroup& group, const std::string& own) {
  const std::vector<std::string> versions = group.share(own);
  for (size_t rank = 1; rank < versions.size(); ++rank) {
    if (versions[rank] == versions[0]) continue;
    throw for_all(group, fmt::format("rank 0 has {}, rank {} has {}: all need the same",
                                     versions[0], rank, versions[rank]));
  }
}

}  // namespace

std::unique_ptr<Backend> make_nccl_backend(const Launch& launch) {
  auto log = std::make_shared<NcclLog>();
  TcpGroup group(std::make_shared<Mesh>(launch));
  const std::vector<RankInfo> in_order = parse_rank_descriptions(group.share(describe_this_rank()));
  Library library;
  int device = 0;
  std::string introduction;
  agree(group, [&] {
    library = load_nccl();
    device = device_of(launch, in_order, library->devices());
    library->check_cuda(library->cudaSetDevice(device), "cudaSetDevice");
    char bus[32] = {};
    library->check_cuda(library->cudaDeviceGetPCIBusId(bus, sizeof bus - 1, device),
                        "cudaDeviceGetPCIBusId");
    introduction = describe_this_rank(device, bus, library->device_name(device));
  });
  require_same_version(group, library->version());
  std::vector<RankInfo> ranks = parse_rank_descriptions(group.share(introduction));

  // If NCCL_COMM_ID is set, ncclGetUniqueId uses it.
  NcclUniqueId id{};
  agree(group, [&] {
    if (launch.rank == 0) library->check_nccl(library->ncclGetUniqueId(&id), "ncclGetUniqueId");
  });
  const std::string shared = group.share(std::string(id.bytes, sizeof id.bytes)).front();
  std::memcpy(id.bytes, shared.data(), sizeof id.bytes);
  NcclComm comm = nullptr;
  agree(group, [&] {
    library->check_nccl(library->ncclCommInitRank(&comm, launch.size, id, launch.rank),
                        "ncclCommInitRank");
  });
  return std::make_unique<NcclBackend>(std::move(library), std::move(log), std::move(group),
                                       std::move(ranks), comm);
}

}  // namespace slipway::bandwidth
