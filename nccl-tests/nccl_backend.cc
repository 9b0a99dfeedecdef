// The backend for GPU memory over NCCL: one process and one GPU for each rank.
#include "nccl-tests/nccl_backend.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>

#include <fmt/core.h>

#include "common/environment.h"
#include "common/error.h"
#include "nccl-tests/agreed_error.h"
#include "nccl-tests/gpu_patterns.h"
#include "nccl-tests/launch.h"
#include "nccl-tests/nccl_library.h"
#include "nccl-tests/nccl_log.h"
#include "nccl-tests/nccl_memory.h"
#include "nccl-tests/nccl_operations.h"
#include "nccl-tests/nccl_stream.h"
#include "nccl-tests/ranks.h"
#include "nccl-tests/tcp_group.h"

namespace slipway::bandwidth {
namespace {

constexpr int zero_ctas = 2;  // NCCL_CTA_POLICY_ZERO

using Library = std::shared_ptr<const NcclLibrary>;

// What the ranks agree on before there is a communicator.
struct Meeting {
  Library library;
  std::shared_ptr<NcclLog> log;
  NcclSettings settings;
  int64_t library_bytes = 0;  // of GPU memory, for the communicator
};

int64_t free_bytes(const CudaLibrary& cuda) {
  size_t free = 0, total = 0;
  cuda.check(cuda.cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return static_cast<int64_t>(free);
}

class NcclBackend final : public Backend {
 public:
  NcclBackend(Meeting meeting, TcpGroup group, std::vector<RankInfo> ranks, NcclComm comm)
      : library_(std::move(meeting.library)),
        log_(std::move(meeting.log)),
        settings_(meeting.settings),
        library_bytes_(meeting.library_bytes),
        group_(std::move(group)),
        ranks_(std::move(ranks)),
        stream_(library_, comm, settings_.null_stream),
        memory_(library_, settings_.registration) {}

  BackendInfo info() const override {
    return {.name = "nccl",
            .memory = "gpu",
            .library = library_->version(),
            .version = library_->version_code()};
  }
  int rank() const override { return group_.rank(); }
  const std::vector<RankInfo>& ranks() const override { return ranks_; }

  void start(const Operation& op) override {
    start_operation(*library_, op, {stream_.comm(), stream_.stream(), rank(), size()});
  }
  void wait() override { stream_.wait(); }
  void begin_group() override { library_->check(library_->ncclGroupStart(), "ncclGroupStart"); }
  void end_group() override { library_->check(library_->ncclGroupEnd(), "ncclGroupEnd"); }
  std::unique_ptr<Recording> record(const std::function<void()>& start) override {
    return stream_.record(start);
  }
  // NCCL does not order a send and a receive of the same group.
  bool works_in_place(Kind kind) const override {
    return kind != Kind::alltoall && kind != Kind::alltoallv && kind != Kind::sendrecv;
  }
  using Backend::has;
  bool has(Datatype type) const override;
  bool has(Reduction) const override { return true; }

  void barrier() override { group_.barrier(); }
  using Backend::combine;
  void combine(Combine how, std::span<double> values) override { group_.combine(how, values); }
  std::vector<std::string> share(const std::string& text) override { return group_.share(text); }
  std::string transport() const override { return log_->transports(); }
  std::unique_ptr<Backend> split(int group) override;

  std::byte* allocate(size_t bytes) override { return memory_.allocate(bytes, stream_.comm()); }
  void release(std::byte* memory) override { memory_.release(memory, stream_.comm()); }
  bool in_host_memory() const override { return false; }
  int64_t available_memory_bytes() const override { return free_bytes(*library_->cuda); }
  int64_t library_memory_bytes() const override { return library_bytes_; }
  Patterns& patterns() override {
    if (!patterns_) patterns_.emplace(library_->cuda, stream_.stream(), [this] { stream_.wait(); });
    return *patterns_;
  }
  void end_early() override;

 private:
  Library library_;
  std::shared_ptr<NcclLog> log_;
  NcclSettings settings_;
  int64_t library_bytes_;
  TcpGroup group_;
  std::vector<RankInfo> ranks_;
  NcclStream stream_;
  NcclMemory memory_;
  std::optional<GpuPatterns> patterns_;
};

// As in nccl-tests: 8-bit floating point needs NCCL 2.24 and, for its arithmetic, a Hopper GPU.
bool NcclBackend::has(Datatype type) const {
  constexpr int hopper = 90;
  const bool fp8 = type.element == Element::float8e4m3 || type.element == Element::float8e5m2;
  if (!fp8) return true;
  const int device = ranks_[static_cast<size_t>(rank())].device;
  return library_->version_code() >= nccl_fp8 && library_->cuda->capability(device) >= hopper;
}

std::unique_ptr<Backend> NcclBackend::split(int group) {
  NcclComm part = nullptr;
  library_->check(library_->ncclCommSplit(stream_.comm(), group, rank(), &part, nullptr),
                  "ncclCommSplit");
  TcpGroup members = group_.split(group);
  std::vector<int> places;
  for (const int member : members.members()) {
    const auto found = std::ranges::find(group_.members(), member);
    places.push_back(static_cast<int>(found - group_.members().begin()));
  }
  return std::make_unique<NcclBackend>(Meeting{library_, log_, settings_, library_bytes_},
                                       std::move(members), subset(ranks_, places), part);
}

// NCCL's warnings name the cause of a failure that is an error number everywhere else.
void NcclBackend::end_early() {
  log_->show();
  for (const std::string& warning : log_->warnings()) {
    fmt::print(stderr, "  rank {}: NCCL: {}\n", group_.mesh().rank(), warning);
  }
  constexpr auto patience = std::chrono::seconds(2);
  const auto done = std::make_shared<std::atomic<bool>>(false);
  std::thread([this, done] {
    stream_.abort();
    *done = true;
  }).detach();
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!*done && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

// The GPU of this rank, by its number among the ranks of its host, or as nccl-tests' variable says.
// A task of Slurm may see one GPU only: then each is number 0.
int device_of(const Launch& launch, const std::vector<RankInfo>& ranks, int devices) {
  if (const char* chosen = std::getenv("NCCL_TESTS_DEVICE"))
    return std::atoi(chosen) + launch.share.number;
  const RankInfo& own = ranks.at(static_cast<size_t>(launch.rank));
  if (own.device < devices) return own.device;
  if (devices == 1 && launch.share.of == 1) return 0;
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

// Whether the user has told NCCL to accept several ranks on one GPU: by its own variable (since
// 2.30), or by having it take the ranks for different hosts.
bool ranks_may_share_gpus() {
  return environment_variable("NCCL_MULTI_RANK_GPU_ENABLE") == "1" ||
         !environment_variable("NCCL_HOSTID").empty();
}

// Two ranks on one GPU would wait for each other: NCCL refuses them with a text that names neither.
void require_own_gpus(const TcpGroup& group, const std::vector<RankInfo>& ranks) {
  if (ranks_may_share_gpus()) return;
  for (const RankInfo& one : ranks) {
    for (const RankInfo& other : ranks) {
      if (other.rank >= one.rank) break;
      if (other.host != one.host || other.device_id != one.device_id) continue;
      throw for_all(group, fmt::format("ranks {} and {} have the same GPU: {} of {}", other.rank,
                                       one.rank, one.device_id, one.host));
    }
  }
}

// An older NCCL ignores the policy without a word.
void require_policy(const NcclLibrary& nccl, int policy) {
  const int version = nccl.version_code();
  const bool is_new = policy == zero_ctas;
  if (policy < 0 || version >= (is_new ? nccl_schedules : nccl_windows)) return;
  throw Error(fmt::format("--cta_policy {} needs NCCL {}; this is {}", policy,
                          is_new ? "2.28" : "2.27", nccl.version()));
}

NcclComm make_comm(const NcclLibrary& nccl, const NcclSettings& settings, const Launch& launch,
                   const NcclUniqueId& id) {
  const int version = nccl.version_code();
  NcclConfig config{.version = static_cast<unsigned>(version)};
  if (settings.cta_policy >= 0) config.cta_policy = settings.cta_policy;
  if (version >= nccl_schedules) config.nvlink_centric_sched = 1;  // as in nccl-tests
  NcclComm comm = nullptr;
  nccl.check(nccl.ncclCommInitRankConfig(&comm, launch.size, id, launch.rank, &config),
             "ncclCommInitRank");
  return comm;
}

// Loads the libraries and takes a GPU. Returns how this rank describes itself.
std::string take_gpu(Meeting& meeting, const Launch& launch, const std::vector<RankInfo>& ranks) {
  meeting.library = load_nccl();
  const CudaLibrary& cuda = *meeting.library->cuda;
  require_registration(*meeting.library, meeting.settings.registration);
  require_policy(*meeting.library, meeting.settings.cta_policy);
  const int device = device_of(launch, ranks, cuda.devices());
  cuda.check(cuda.cudaSetDevice(device), "cudaSetDevice");
  char bus[32] = {};
  cuda.check(cuda.cudaDeviceGetPCIBusId(bus, sizeof bus - 1, device), "cudaDeviceGetPCIBusId");
  return describe_this_rank(device, bus, cuda.device_name(device));
}

}  // namespace

std::unique_ptr<Backend> make_nccl_backend(const Launch& launch, const NcclSettings& settings) {
  Meeting meeting;
  meeting.log = std::make_shared<NcclLog>();
  meeting.settings = settings;
  TcpGroup group(std::make_shared<Mesh>(launch));
  const std::vector<RankInfo> in_order = parse_rank_descriptions(group.share(describe_this_rank()));
  std::string introduction;
  agree(group, [&] { introduction = take_gpu(meeting, launch, in_order); });
  require_same_version(group, meeting.library->version());
  std::vector<RankInfo> ranks = parse_rank_descriptions(group.share(introduction));
  require_own_gpus(group, ranks);

  // If NCCL_COMM_ID is set, ncclGetUniqueId uses it.
  const NcclLibrary& nccl = *meeting.library;
  NcclUniqueId id{};
  agree(group, [&] {
    if (launch.rank == 0) nccl.check(nccl.ncclGetUniqueId(&id), "ncclGetUniqueId");
  });
  const std::string shared = group.share(std::string(id.bytes, sizeof id.bytes)).front();
  std::memcpy(id.bytes, shared.data(), sizeof id.bytes);
  NcclComm comm = nullptr;
  agree(group, [&] {
    const int64_t before = free_bytes(*nccl.cuda);
    comm = make_comm(nccl, settings, launch, id);
    meeting.library_bytes = before - free_bytes(*nccl.cuda);
  });
  return std::make_unique<NcclBackend>(std::move(meeting), std::move(group), std::move(ranks),
                                       comm);
}

}  // namespace slipway::bandwidth
