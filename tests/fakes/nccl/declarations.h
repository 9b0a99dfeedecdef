// NCCL's interface: from the real header where FAKE_CONTRACT is defined, so that a signature of
// ours that differs does not compile, and from here otherwise. FAKE_NCCL is the version that is
// built.
#pragma once

#ifdef FAKE_CONTRACT
#include <nccl.h>
#else
#include <climits>
#include <cstddef>

#include "tests/fakes/cuda/declarations.h"

using ncclComm_t = struct ncclComm*;
using ncclWindow_t = struct ncclWindow_vidmem*;
struct ncclUniqueId {
  char internal[128];
};
enum ncclResult_t : int {
  ncclSuccess,
  ncclUnhandledCudaError,
  ncclSystemError,
  ncclInternalError,
  ncclInvalidArgument,
  ncclInvalidUsage,
  ncclRemoteError,
  ncclInProgress,
  ncclNumResults
};
struct ncclConfig_t {
  size_t size;
  unsigned int magic, version;
  int blocking, cgaClusterSize, minCTAs, maxCTAs;
  const char* netName;
  int splitShare, trafficClass;
  const char* commName;
  int collnetEnable, CTAPolicy, shrinkShare, nvlsCTAs, nChannelsPerNetPeer, nvlinkCentricSched;
};
enum ncclRedOp_t : int { ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg, ncclNumOps };
enum ncclDataType_t : int {
  ncclInt8,
  ncclUint8,
  ncclInt32,
  ncclUint32,
  ncclInt64,
  ncclUint64,
  ncclFloat16,
  ncclFloat32,
  ncclFloat64,
  ncclBfloat16,
  ncclFloat8e4m3,
  ncclFloat8e5m2,
  ncclNumTypes
};
enum ncclScalarResidence_t : int { ncclScalarDevice, ncclScalarHostImmediate };
#define NCCL_SPLIT_NOCOLOR -1
#endif
