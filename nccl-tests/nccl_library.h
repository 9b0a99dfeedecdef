// NCCL, loaded at run time: it is not needed to build the program.
//
// The functions declared here have the same signature in NCCL 2.18 to 2.28. Those that came later
// than 2.18 are nullptr where the library is older.
#pragma once

#include <climits>
#include <cstddef>
#include <memory>
#include <string>

#include "nccl-tests/cuda_library.h"

namespace slipway::bandwidth {

struct NcclUniqueId {
  char bytes[128];
};
using NcclComm = struct ncclComm*;

// ncclConfig_t of 2.28. An older library reads as much of it as it knows.
struct NcclConfig {
  size_t size = sizeof(NcclConfig);
  unsigned magic = 0xcafebeef;
  unsigned version = 0;  // of the library
  int blocking = INT_MIN, cga_cluster_size = INT_MIN, min_ctas = INT_MIN, max_ctas = INT_MIN;
  const char* net_name = nullptr;
  int split_share = INT_MIN, traffic_class = INT_MIN;
  const char* comm_name = nullptr;
  int collnet_enable = INT_MIN, cta_policy = INT_MIN, shrink_share = INT_MIN, nvls_ctas = INT_MIN,
      channels_per_net_peer = INT_MIN, nvlink_centric_sched = INT_MIN;
};

// Numbers of NCCL's header.
inline constexpr int scalar_of_host = 1;        // ncclScalarHostImmediate
inline constexpr int zero_ctas = 2;             // NCCL_CTA_POLICY_ZERO
inline constexpr int symmetric_window = 1;      // NCCL_WIN_COLL_SYMMETRIC
inline constexpr size_t window_granule = 4096;  // NCCL_WIN_REQUIRED_ALIGNMENT

inline constexpr int nccl_fp8 = 22400;        // the first with types of 8 bits
inline constexpr int nccl_windows = 22700;    // the first with symmetric memory
inline constexpr int nccl_schedules = 22800;  // the first with nvlinkCentricSched

// Data types and reductions are numbered as Element and Reduction are.
struct NcclLibrary {
  std::shared_ptr<const CudaLibrary> cuda;

  // Each function returns 0 or an error.
  int (*ncclGetVersion)(int*) = nullptr;
  int (*ncclGetUniqueId)(NcclUniqueId*) = nullptr;
  int (*ncclCommInitRankConfig)(NcclComm*, int, NcclUniqueId, int, NcclConfig*) = nullptr;
  int (*ncclCommSplit)(NcclComm, int, int, NcclComm*, NcclConfig*) = nullptr;
  int (*ncclCommDestroy)(NcclComm) = nullptr;
  int (*ncclCommAbort)(NcclComm) = nullptr;
  int (*ncclCommGetAsyncError)(NcclComm, int*) = nullptr;
  const char* (*ncclGetErrorString)(int) = nullptr;
  const char* (*ncclGetLastError)(NcclComm) = nullptr;
  int (*ncclGroupStart)() = nullptr;
  int (*ncclGroupEnd)() = nullptr;
  int (*ncclSend)(const void*, size_t, int, int, NcclComm, CudaStream) = nullptr;
  int (*ncclRecv)(void*, size_t, int, int, NcclComm, CudaStream) = nullptr;
  int (*ncclAllGather)(const void*, void*, size_t, int, NcclComm, CudaStream) = nullptr;
  int (*ncclAllReduce)(const void*, void*, size_t, int, int, NcclComm, CudaStream) = nullptr;
  int (*ncclReduceScatter)(const void*, void*, size_t, int, int, NcclComm, CudaStream) = nullptr;
  int (*ncclBroadcast)(const void*, void*, size_t, int, int, NcclComm, CudaStream) = nullptr;
  int (*ncclReduce)(const void*, void*, size_t, int, int, int, NcclComm, CudaStream) = nullptr;
  int (*ncclRedOpCreatePreMulSum)(int*, void*, int, int, NcclComm) = nullptr;
  int (*ncclRedOpDestroy)(int, NcclComm) = nullptr;

  // Since 2.19.
  int (*ncclMemAlloc)(void**, size_t) = nullptr;
  int (*ncclMemFree)(void*) = nullptr;
  int (*ncclCommRegister)(NcclComm, void*, size_t, void**) = nullptr;
  int (*ncclCommDeregister)(NcclComm, void*) = nullptr;
  // Since 2.27.
  int (*ncclCommWindowRegister)(NcclComm, void*, size_t, void**, int) = nullptr;
  int (*ncclCommWindowDeregister)(NcclComm, void*) = nullptr;
  // Since 2.28.
  int (*ncclAlltoAll)(const void*, void*, size_t, int, NcclComm, CudaStream) = nullptr;
  int (*ncclGather)(const void*, void*, size_t, int, int, NcclComm, CudaStream) = nullptr;
  int (*ncclScatter)(const void*, void*, size_t, int, int, NcclComm, CudaStream) = nullptr;

  // Throws Error with the library's own text, and its last warning, unless `status` is 0.
  void check(int status, const char* what) const;

  int version_code() const;     // 22809
  std::string version() const;  // "NCCL 2.28.9, CUDA 13.0"
};

// Throws an Error that says what is missing or too old. The libraries stay loaded.
std::shared_ptr<const NcclLibrary> load_nccl();

}  // namespace slipway::bandwidth
