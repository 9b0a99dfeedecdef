// The backend for GPU memory over NCCL: one process and one GPU for each rank.
#include "nccl-tests/nccl_backend.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <thread>

#include <fmt/core.h>

#include "common/environment.h"
#include "common/error.h"
#include "common/text.h"
#include "nccl-tests/agreed_error.h"
#include "nccl-tests/gpu_marks.h"
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

using Library = std::shared_ptr<const NcclLibrary>;

int64_t free_bytes(const CudaLibrary& cuda) {
  size_t free = 0, total = 0;
  cuda.check(cuda.cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return static_cast<int64_t>(free);
}

class NcclBackend final : public Backend {
 public:
  NcclBackend(Launch launch, const NcclSettings& settings)
      : launch_(std::move(launch)),
        log_(std::make_shared<NcclLog>()),
        settings_(settings),
        group_(std::make_shared<Mesh>(launch_)),
        ranks_(parse_rank_descriptions(group_.share(describe_this_rank()))) {}

  // The ranks of `all` that pass the same `group`.
  NcclBackend(NcclBackend& all, int group)
      : launch_(all.launch_),
        log_(all.log_),
        settings_(all.settings_),
        group_(all.group_.split(group)),
        ranks_(subset(all.ranks_, places_in(all))),
        part_{&all, group} {}

  BackendInfo info() const override {
    if (library_ == nullptr) return {.name = "nccl", .memory = "gpu", .library = ""};
    return {.name = "nccl",
            .memory = "gpu",
            .library = library_->version(),
            .version = library_->version_code()};
  }
  int rank() const override { return group_.rank(); }
  const std::vector<RankInfo>& ranks() const override { return ranks_; }
  void connect(const OnPhase& on_phase) override;
  void disconnect() override { stream_->leave(); }

  void start(const Operation& op) override {
    start_operation(*library_, op, {stream_->comm(), stream_->stream(), rank(), size()});
  }
  void wait() override { stream_->wait(); }
  void begin_group() override { library_->check(library_->ncclGroupStart(), "ncclGroupStart"); }
  void end_group() override { library_->check(library_->ncclGroupEnd(), "ncclGroupEnd"); }
  void mark() override {
    if (!marks_) marks_.emplace(library_->cuda, stream_->stream());
    marks_->add();
  }
  std::vector<double> between_marks() override {
    wait();
    return marks_->between();
  }
  std::unique_ptr<Recording> record(const std::function<void()>& start) override {
    return stream_->record(start);
  }
  // NCCL does not order a send and a receive of the same group.
  bool works_in_place(Kind kind) const override {
    return kind != Kind::alltoall && kind != Kind::alltoallv && kind != Kind::sendrecv;
  }
  using Backend::has;
  bool has(Datatype type) const override;
  bool has(Reduction) const override { return true; }
  bool has(Datatype type, Reduction reduction) const override;

  void barrier() override { group_.barrier(); }
  using Backend::combine;
  void combine(Combine how, std::span<double> values) override { group_.combine(how, values); }
  std::vector<std::string> share(const std::string& text) override { return group_.share(text); }
  std::string transport() const override { return log_->transports(); }
  std::unique_ptr<Backend> split(int group) override {
    return std::make_unique<NcclBackend>(*this, group);
  }

  std::byte* allocate(size_t bytes) override { return memory_->allocate(bytes, stream_->comm()); }
  // After a failure, work on the stream may still use the memory, which then stays until the
  // process ends.
  void release(std::byte* memory) override {
    if (std::uncaught_exceptions() == 0) memory_->release(memory, stream_->comm());
  }
  bool in_host_memory() const override { return false; }
  int64_t available_memory_bytes() const override { return free_bytes(*library_->cuda); }
  int64_t library_memory_bytes() const override { return library_bytes_; }
  Patterns& patterns() override {
    if (!patterns_)
      patterns_.emplace(library_->cuda, stream_->stream(), [this] { stream_->wait(); });
    return *patterns_;
  }
  void end_early() override;

 private:
  struct Part {
    NcclBackend* all = nullptr;  // which lives longer
    int group = 0;
  };

  std::vector<int> places_in(const NcclBackend& all) const;
  void take_gpus(const OnPhase& on_phase);
  NcclComm join();

  Launch launch_;
  std::shared_ptr<NcclLog> log_;
  NcclSettings settings_;
  TcpGroup group_;
  std::vector<RankInfo> ranks_;
  Part part_;
  Library library_;
  int64_t library_bytes_ = 0;  // of GPU memory, for the communicator
  std::unique_ptr<NcclStream> stream_;
  std::atomic<NcclStream*> running_ = nullptr;  // the same, for end_early() on another thread
  std::optional<NcclMemory> memory_;
  std::optional<GpuPatterns> patterns_;
  std::optional<GpuMarks> marks_;
};

bool is_fp8(Datatype type) {
  return type.element == Element::float8e4m3 || type.element == Element::float8e5m2;
}

// As in nccl-tests: 8-bit floating point needs NCCL 2.24 and, for its arithmetic, a Hopper GPU.
bool NcclBackend::has(Datatype type) const {
  constexpr int hopper = 90;
  if (!is_fp8(type)) return true;
  const int device = ranks_[static_cast<size_t>(rank())].device;
  return library_->version_code() >= nccl_fp8 && library_->cuda->capability(device) >= hopper;
}

// A rank alone multiplies 8-bit floating point in no NCCL up to 2.28: ncclLaunchOneRank() has no
// kernel for it (src/device/onerank.cu), and returns ncclInvalidArgument. An average is a product,
// too.
bool NcclBackend::has(Datatype type, Reduction reduction) const {
  const bool multiplies = reduction == Reduction::avg || reduction == Reduction::mulsum;
  return size() > 1 || !is_fp8(type) || !multiplies;
}

std::vector<int> NcclBackend::places_in(const NcclBackend& all) const {
  std::vector<int> places;
  for (const int member : group_.members()) {
    const auto found = std::ranges::find(all.group_.members(), member);
    places.push_back(static_cast<int>(found - all.group_.members().begin()));
  }
  return places;
}

// NCCL's warnings name the cause of a failure that is an error number everywhere else.
void NcclBackend::end_early() {
  log_->show();
  for (const std::string& warning : log_->warnings()) {
    fmt::print(stderr, "  rank {}: NCCL: {}\n", group_.mesh().rank(), warning);
  }
  constexpr auto patience = std::chrono::seconds(2);
  const auto done = std::make_shared<std::atomic<bool>>(false);
  NcclStream* const stream = running_;
  if (stream == nullptr) return;  // the process ends while NCCL makes a communicator
  std::thread([stream, done] {
    stream->abort();
    *done = true;
  }).detach();
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!*done && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

// The GPU of this rank, by its number among the ranks of its host, or as nccl-tests' variable says.
// A task of Slurm may see one GPU only: then each is number 0.
int device_of(const Launch& launch, const std::vector<RankInfo>& ranks, int devices) {
  if (const std::string chosen = environment_variable("NCCL_TESTS_DEVICE"); !chosen.empty()) {
    const auto first = to_number<int>(chosen);
    if (!first || *first < 0)
      throw Error(fmt::format("NCCL_TESTS_DEVICE is `{}`, expected the number of a GPU", chosen));
    return *first + launch.share.number;
  }
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
             "ncclCommInitRankConfig");
  return comm;
}

// Loads the libraries and takes a GPU. Returns how this rank describes itself.
std::string take_gpu(Library& library, const NcclSettings& settings, const Launch& launch,
                     const std::vector<RankInfo>& ranks) {
  library = load_nccl();
  const CudaLibrary& cuda = *library->cuda;
  require_registration(*library, settings.registration);
  require_policy(*library, settings.cta_policy);
  const int device = device_of(launch, ranks, cuda.devices());
  cuda.check(cuda.cudaSetDevice(device), "cudaSetDevice");
  char bus[32] = {};
  cuda.check(cuda.cudaDeviceGetPCIBusId(bus, sizeof bus - 1, device), "cudaDeviceGetPCIBusId");
  return describe_this_rank(device, bus, cuda.device_name(device));
}

}  // namespace

void NcclBackend::take_gpus(const OnPhase& on_phase) {
  on_phase("taking a GPU");
  std::string introduction;
  agree(group_, [&] {
    introduction = take_gpu(library_, settings_, launch_, ranks_);
    on_phase("waiting for the GPUs of all ranks");
  });
  require_same_version(group_, library_->version());
  ranks_ = parse_rank_descriptions(group_.share(introduction));
  require_own_gpus(group_, ranks_);
}

// The communicator of all ranks, or of a part of them. Other ranks wait in NCCL for one that fails.
NcclComm NcclBackend::join() {
  const NcclLibrary& nccl = *library_;
  if (part_.all != nullptr) {
    NcclComm comm = nullptr;
    nccl.check(nccl.ncclCommSplit(part_.all->stream_->comm(), part_.group, rank(), &comm, nullptr),
               "ncclCommSplit");
    return comm;
  }
  // If NCCL_COMM_ID is set, ncclGetUniqueId uses it.
  NcclUniqueId id{};
  agree(group_, [&] {
    if (launch_.rank == 0) nccl.check(nccl.ncclGetUniqueId(&id), "ncclGetUniqueId");
  });
  const std::string shared = group_.share(std::string(id.bytes, sizeof id.bytes)).front();
  std::memcpy(id.bytes, shared.data(), sizeof id.bytes);
  const int64_t before = free_bytes(*nccl.cuda);
  const NcclComm comm = make_comm(nccl, settings_, launch_, id);
  library_bytes_ = before - free_bytes(*nccl.cuda);
  return comm;
}

void NcclBackend::connect(const OnPhase& on_phase) {
  group_.begin_run();
  if (part_.all == nullptr) {
    take_gpus(on_phase);
  } else {
    library_ = part_.all->library_;
    ranks_ = subset(part_.all->ranks_, places_in(*part_.all));
    library_bytes_ = part_.all->library_bytes_;
  }
  on_phase("joining the communicator of NCCL");
  stream_ = std::make_unique<NcclStream>(library_, join(), settings_.null_stream);
  running_ = stream_.get();
  memory_.emplace(library_, settings_.registration);
}

std::unique_ptr<Backend> make_nccl_backend(const Launch& launch, const NcclSettings& settings) {
  return std::make_unique<NcclBackend>(launch, settings);
}

}  // namespace slipway::bandwidth
