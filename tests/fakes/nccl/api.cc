// The stand-in of libnccl.so.2: communicators, memory and errors. FAKE_NCCL is the version, such as
// 22809; functions that came later are left out.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <random>
#include <stdexcept>

#include "tests/fakes/cuda/gpu.h"
#include "tests/fakes/nccl/call.h"
#include "tests/fakes/nccl/comm.h"
#include "tests/fakes/nccl/elements.h"
#include "tests/fakes/nccl/log.h"

#ifndef FAKE_NCCL
#define FAKE_NCCL 22809
#endif

namespace {

// Memory of ncclMemAlloc, which alone may become a symmetric window.
struct Allocated {
  std::mutex mutex;
  std::set<void*> all;
};
[[maybe_unused]] Allocated& allocated() {
  static Allocated* const only = new Allocated;
  return *only;
}

// What a real NCCL writes about its network: "via NET/Socket/0" or, on one host, "via P2P/CUMEM".
void log_channels(const fake::World& world) {
  if (world.size < 2) return;
  const std::string network = fake::setting("FAKE_NCCL_NETWORK");
  const int next = (world.rank + 1) % world.size;
  char line[256];
  std::snprintf(
      line, sizeof line, "Channel 00/0 : %d[%d] -> %d[%d] %svia %s%s", world.rank, world.device,
      next, (world.device + 1) % std::max(1, fake::devices()), network.empty() ? "" : "[send] ",
      network.empty() ? "P2P/CUMEM" : ("NET/" + network).c_str(), network.empty() ? "" : "/0");
  fake::say(fake::Level::info, world.device, line);
}

ncclResult_t make(ncclComm_t* comm, const std::string& id, int rank, int size, int device,
                  int world_rank) {
  try {
    auto made = std::make_unique<ncclComm>();
    made->world = std::make_shared<fake::World>(id, rank, size, device, world_rank);
    log_channels(*made->world);
    const bool one_node = fake::setting("FAKE_NCCL_NETWORK").empty();
    made->profiled = fake::Profiled::begin(
        FAKE_NCCL, device, {std::hash<std::string>()(id), one_node ? 1 : size, size, rank});
    *comm = made.release();
    return ncclSuccess;
  } catch (const std::exception& error) {
    fake::warn(device, "bootstrap.cc:300", error.what());
    return ncclSystemError;
  }
}

ncclResult_t init(ncclComm_t* comm, int size, const ncclUniqueId& id, int rank, const char* call) {
  if (comm == nullptr) return fake::invalid(call, "comm argument is NULL");
  if (size < 1 || rank < 0 || rank >= size) return fake::invalid(call, "invalid rank requested");
  const std::string name(id.internal, ::strnlen(id.internal, sizeof id.internal));
  const int device = fake::current_device();
  if (rank == 0) {
    fake::say(fake::Level::version, device,
              "NCCL version " + std::to_string(FAKE_NCCL / 10000) + "." +
                  std::to_string(FAKE_NCCL / 100 % 100) + "." + std::to_string(FAKE_NCCL % 100) +
                  "+cuda13.0");
  }
  fake::say(fake::Level::info, device,
            "Using network " + fake::setting("FAKE_NCCL_NETWORK", "Socket"));
  return fake::start_or_group([=] {
    fake::set_device(device);  // on the thread that makes it
    return make(comm, name, rank, size, device, rank);
  });
}

// The size of ncclConfig_t in this version. A real NCCL ignores what a newer caller adds.
constexpr size_t config_bytes = FAKE_NCCL >= 22800   ? sizeof(ncclConfig_t)
                                : FAKE_NCCL >= 22700 ? offsetof(ncclConfig_t, nChannelsPerNetPeer)
                                : FAKE_NCCL >= 22500 ? offsetof(ncclConfig_t, commName)
                                                     : offsetof(ncclConfig_t, trafficClass);

bool knows(const ncclConfig_t* config, size_t member) {
  return config != nullptr && member < std::min(config->size, config_bytes);
}

}  // namespace

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  BEGIN_CALL;
  *version = FAKE_NCCL;
  return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t result) {
  constexpr const char* texts[] = {
      "no error",
      "unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
      "unhandled system error (run with NCCL_DEBUG=INFO for details)",
      "internal error - please report this issue to the NCCL developers",
      "invalid argument (run with NCCL_DEBUG=WARN for details)",
      "invalid usage (run with NCCL_DEBUG=WARN for details)",
      "remote process exited or there was a network error",
      "NCCL operation in progress"};
  return result >= 0 && result < ncclNumResults ? texts[result] : "unknown result code";
}

const char* ncclGetLastError(ncclComm_t) {
  return fake::last_warning();
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  BEGIN_CALL;
  std::random_device random;
  std::memset(id, 0, sizeof *id);
  std::snprintf(id->internal, sizeof id->internal, "%08x%08x%08x", random(), random(), random());
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int size, ncclUniqueId id, int rank) {
  BEGIN_CALL;
  return init(comm, size, id, rank, __func__);
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int size, ncclUniqueId id, int rank,
                                    ncclConfig_t* config) {
  BEGIN_CALL;
  if (config != nullptr && config->magic != 0xcafebeef)
    return fake::invalid(__func__,
                         "ncclConfig_t argument not initialized via NCCL_CONFIG_INITIALIZER");
  if (config != nullptr && config->blocking == 0)
    return fake::invalid(__func__, "the stand-in has no communicators that do not block");
  if (knows(config, offsetof(ncclConfig_t, nvlinkCentricSched)) && config->nvlinkCentricSched == 1)
    fake::count("nvlinkCentricSched");
  if (knows(config, offsetof(ncclConfig_t, CTAPolicy)) && config->CTAPolicy != INT_MIN)
    fake::count("CTAPolicy", config->CTAPolicy + 1);
  return init(comm, size, id, rank, __func__);
}

ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t* part, ncclConfig_t*) {
  BEGIN_CALL;
  if (comm == nullptr || part == nullptr) return fake::invalid(__func__, "comm argument is NULL");
  const auto all = comm->world->share(std::to_string(color) + " " + std::to_string(key));
  std::vector<std::pair<int, int>> members;  // key and rank of those with the same color
  for (size_t rank = 0; rank < all.size(); ++rank) {
    int its_color = 0, its_key = 0;
    std::sscanf(all[rank].c_str(), "%d %d", &its_color, &its_key);
    if (its_color == color) members.emplace_back(its_key, static_cast<int>(rank));
  }
  *part = nullptr;
  const std::string id =
      comm->world->id() + "s" + std::to_string(++comm->splits) + "c" + std::to_string(color);
  if (color == NCCL_SPLIT_NOCOLOR) return ncclSuccess;
  std::ranges::sort(members);
  const auto own = std::ranges::find(members, comm->world->rank, &std::pair<int, int>::second);
  return make(part, id, static_cast<int>(own - members.begin()), static_cast<int>(members.size()),
              comm->world->device, comm->world->world_rank);
}

// An operation that runs ends with the thread that runs it.
ncclResult_t ncclCommAbort(ncclComm_t comm) {
  BEGIN_CALL;
  if (comm == nullptr) return ncclSuccess;
  comm->world->abort();
  delete comm;
  return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  BEGIN_CALL;
  delete comm;
  return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error) {
  BEGIN_CALL;
  if (comm == nullptr || error == nullptr) return fake::invalid(__func__, "comm argument is NULL");
  *error = static_cast<ncclResult_t>(comm->world->async_error());
  return ncclSuccess;
}

ncclResult_t ncclCommCount(const ncclComm_t comm, int* count) {
  BEGIN_CALL;
  *count = comm->world->size;
  return ncclSuccess;
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int* rank) {
  BEGIN_CALL;
  *rank = comm->world->rank;
  return ncclSuccess;
}

ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t* op, void* scalar, ncclDataType_t type,
                                      ncclScalarResidence_t residence, ncclComm_t comm) {
  BEGIN_CALL;
  if (comm == nullptr) return fake::invalid(__func__, "comm argument is NULL");
  if (residence != ncclScalarHostImmediate)
    return fake::invalid(__func__, "the stand-in takes scalars of the host");
  const auto* const bytes = static_cast<const std::byte*>(scalar);
  int made = ncclNumOps;
  while (comm->scalars.contains(made)) ++made;
  comm->scalars[made].assign(bytes, bytes + fake::bytes_of(type));
  *op = static_cast<ncclRedOp_t>(made);
  return ncclSuccess;
}

ncclResult_t ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t comm) {
  BEGIN_CALL;
  if (op < ncclNumOps) return fake::invalid(__func__, "a built-in operation");
  return comm->scalars.erase(op) == 1 ? ncclSuccess : fake::invalid(__func__, "no such operation");
}

#if FAKE_NCCL >= 21900
ncclResult_t ncclMemAlloc(void** pointer, size_t bytes) {
  BEGIN_CALL;
  if (fake::allocate(pointer, bytes) != fake::ok) {
    fake::warn(fake::current_device(), "allocator.cc:100", "Cuda failure 2 'out of memory'");
    return ncclUnhandledCudaError;
  }
  const std::lock_guard lock(allocated().mutex);
  allocated().all.insert(*pointer);
  return ncclSuccess;
}

ncclResult_t ncclMemFree(void* pointer) {
  BEGIN_CALL;
  const std::lock_guard lock(allocated().mutex);
  if (pointer != nullptr && allocated().all.erase(pointer) == 0)
    return fake::invalid(__func__, "not of ncclMemAlloc");
  return fake::release(pointer) == fake::ok ? ncclSuccess : ncclUnhandledCudaError;
}

ncclResult_t ncclCommRegister(const ncclComm_t comm, void* buffer, size_t bytes, void** handle) {
  BEGIN_CALL;
  if (fake::reach(buffer, bytes) == nullptr) return fake::invalid(__func__, "invalid pointer");
  *handle = comm->handles.insert(buffer).first.operator*();
  return ncclSuccess;
}

ncclResult_t ncclCommDeregister(const ncclComm_t comm, void* handle) {
  BEGIN_CALL;
  return comm->handles.erase(handle) == 1 ? ncclSuccess : fake::invalid(__func__, "not registered");
}
#endif

#if FAKE_NCCL >= 22700
ncclResult_t ncclCommWindowRegister(ncclComm_t comm, void* buffer, size_t bytes,
                                    ncclWindow_t* window, int) {
  BEGIN_CALL;
  const std::lock_guard lock(allocated().mutex);
  const auto after = allocated().all.upper_bound(buffer);
  if (after == allocated().all.begin() || fake::reach(buffer, bytes) == nullptr)
    return fake::invalid(__func__, "a window needs memory of ncclMemAlloc");
  comm->handles.insert(buffer);
  *window = reinterpret_cast<ncclWindow_t>(buffer);
  return ncclSuccess;
}

ncclResult_t ncclCommWindowDeregister(ncclComm_t comm, ncclWindow_t window) {
  BEGIN_CALL;
  return comm->handles.erase(window) == 1 ? ncclSuccess : fake::invalid(__func__, "not registered");
}
#endif

}  // extern "C"
