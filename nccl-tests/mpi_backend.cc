// The backend of host memory over MPI.
#include "nccl-tests/mpi_backend.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <cstring>

// The C++ bindings were removed from MPI 3; their headers would come in with C++.
#define OMPI_SKIP_MPICXX 1
#include <fmt/format.h>
#include <mpi.h>

#include "common/error.h"
#include "nccl-tests/environment.h"

namespace slipway::bandwidth {
namespace {

// What a rank tells the others about itself: plain bytes, for MPI_Allgather.
struct Introduction {
  int64_t pid;
  char host[256];
  char device_name[128];
};

template <size_t N>
void copy(const std::string& text, char (&to)[N]) {
  const size_t length = std::min(text.size(), N - 1);
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

Introduction introduce_myself() {
  Introduction me{};
  me.pid = ::getpid();
  ::gethostname(me.host, sizeof me.host - 1);
  copy(cpu_name(), me.device_name);
  return me;
}

std::vector<RankInfo> meet(int size) {
  const Introduction me = introduce_myself();
  std::vector<Introduction> all(static_cast<size_t>(size));
  MPI_Allgather(&me, sizeof me, MPI_BYTE, all.data(), sizeof me, MPI_BYTE, MPI_COMM_WORLD);
  std::vector<RankInfo> ranks;
  for (const Introduction& other : all) {
    const std::string host = other.host;
    const auto before = std::ranges::count(ranks, host, &RankInfo::host);
    ranks.push_back({.rank = static_cast<int>(ranks.size()),
                     .pid = other.pid,
                     .host = host,
                     .device = static_cast<int>(before),
                     .device_id = "host memory",
                     .device_name = other.device_name});
  }
  return ranks;
}

// "Open MPI v4.1.4" of "Open MPI v4.1.4, package: …".
std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string all(text, static_cast<size_t>(length));
  return all.substr(0, all.find_first_of(",\n"));
}

MPI_Op operation(Combine how) {
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
  MpiBackend() {
    MPI_Init(nullptr, nullptr);
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Type_contiguous(granule_bytes, MPI_BYTE, &granule_);
    MPI_Type_commit(&granule_);
    ranks_ = meet(size);
  }
  ~MpiBackend() override {
    MPI_Type_free(&granule_);
    MPI_Finalize();
  }
  MpiBackend(const MpiBackend&) = delete;
  MpiBackend& operator=(const MpiBackend&) = delete;

  BackendInfo info() const override {
    return {.name = "mpi", .memory = "host", .library = library_version()};
  }
  int rank() const override { return rank_; }
  const std::vector<RankInfo>& ranks() const override { return ranks_; }

  double seconds() const override {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count();
  }

  void all_gather(const std::byte* send, std::byte* receive, int64_t bytes_per_rank) override {
    const auto [count, type] = count_of(bytes_per_rank);
    const bool in_place = send == receive + bytes_per_rank * rank_;
    MPI_Allgather(in_place ? MPI_IN_PLACE : send, count, type, receive, count, type,
                  MPI_COMM_WORLD);
  }

  // MPI_Allgather returns when its buffers are the caller's again.
  void wait() override {}
  void barrier() override { MPI_Barrier(MPI_COMM_WORLD); }

  double combine(Combine how, double value) override {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, operation(how), MPI_COMM_WORLD);
    return value;
  }

 private:
  static constexpr int granule_bytes = 16;

  // MPI 3 counts in int: from 2 GiB on a rank, in units of 16 bytes, to which blocks are rounded.
  std::pair<int, MPI_Datatype> count_of(int64_t bytes) const {
    if (bytes <= INT_MAX) return {static_cast<int>(bytes), MPI_BYTE};
    const int64_t granules = bytes / granule_bytes;
    if (bytes % granule_bytes != 0 || granules > INT_MAX) {
      throw Error(fmt::format("MPI cannot send {} bytes a rank at once", bytes));
    }
    return {static_cast<int>(granules), granule_};
  }

  int rank_ = 0;
  MPI_Datatype granule_ = MPI_DATATYPE_NULL;
  std::vector<RankInfo> ranks_;
};

}  // namespace

std::unique_ptr<Backend> make_mpi_backend() {
  return std::make_unique<MpiBackend>();
}

void abort_mpi(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::_Exit(status);
}

}  // namespace slipway::bandwidth
