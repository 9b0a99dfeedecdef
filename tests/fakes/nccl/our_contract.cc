// What our programs believe about NVIDIA's interfaces, compared with NVIDIA's own headers where
// they are installed: this file compiles only if both agree. Nothing runs.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <cstddef>
#include <type_traits>

#include "nccl-tests/cuda_library.h"
#include "nccl-tests/nccl_library.h"
#include "nccl-tests/reduction.h"

namespace {

using namespace slipway::bandwidth;

// Whether arguments of these types are passed alike: pointers, whole numbers and enumerations of
// one size, and structures of one size.
template <class A, class B>
constexpr bool passes_alike() {
  if (sizeof(A) != sizeof(B)) return false;
  const auto is_number = [](auto integral, auto enumeration) { return integral || enumeration; };
  return std::is_pointer_v<A> == std::is_pointer_v<B> && std::is_class_v<A> == std::is_class_v<B> &&
         is_number(std::is_integral_v<A>, std::is_enum_v<A>) ==
             is_number(std::is_integral_v<B>, std::is_enum_v<B>);
}

template <class Ours, class Theirs>
struct Alike : std::false_type {};
template <class R, class... A, class S, class... B>
requires(sizeof...(A) == sizeof...(B)) struct Alike<R (*)(A...), S (*)(B...)>
    : std::bool_constant<passes_alike<R, S>() && (passes_alike<A, B>() && ...)> {
};

#define SAME(library, name) \
  static_assert(Alike<decltype(library::name), decltype(&::name)>::value, #name)

SAME(CudaLibrary, cudaGetDeviceCount);
SAME(CudaLibrary, cudaSetDevice);
SAME(CudaLibrary, cudaDeviceGetPCIBusId);
SAME(CudaLibrary, cudaDeviceGetAttribute);
SAME(CudaLibrary, cudaMemGetInfo);
// It has overloads: the one that the library exports.
static_assert(Alike<decltype(CudaLibrary::cudaMalloc),
                    decltype(static_cast<cudaError_t (*)(void**, size_t)>(&::cudaMalloc))>::value);
SAME(CudaLibrary, cudaFree);
SAME(CudaLibrary, cudaMemset);
SAME(CudaLibrary, cudaMemcpyAsync);
SAME(CudaLibrary, cudaStreamCreateWithFlags);
SAME(CudaLibrary, cudaStreamQuery);
SAME(CudaLibrary, cudaStreamSynchronize);
SAME(CudaLibrary, cudaStreamDestroy);
SAME(CudaLibrary, cudaStreamBeginCapture);
SAME(CudaLibrary, cudaStreamEndCapture);
SAME(CudaLibrary, cudaGraphInstantiateWithFlags);
SAME(CudaLibrary, cudaGraphLaunch);
SAME(CudaLibrary, cudaGraphDestroy);
SAME(CudaLibrary, cudaGraphExecDestroy);
SAME(CudaLibrary, cudaRuntimeGetVersion);
SAME(CudaLibrary, cudaDriverGetVersion);
SAME(CudaLibrary, cudaGetErrorString);
SAME(CudaLibrary, cuDeviceGetName);
SAME(CudaLibrary, cuModuleLoadData);
SAME(CudaLibrary, cuModuleGetFunction);
SAME(CudaLibrary, cuModuleUnload);
SAME(CudaLibrary, cuLaunchKernel);
SAME(CudaLibrary, cuEventCreate);
SAME(CudaLibrary, cuEventRecord);
SAME(CudaLibrary, cuEventElapsedTime);
SAME(CudaLibrary, cuEventDestroy_v2);
SAME(CudaLibrary, cuGetErrorString);

SAME(NcclLibrary, ncclGetVersion);
SAME(NcclLibrary, ncclGetUniqueId);
SAME(NcclLibrary, ncclCommInitRankConfig);
SAME(NcclLibrary, ncclCommSplit);
SAME(NcclLibrary, ncclCommDestroy);
SAME(NcclLibrary, ncclCommAbort);
SAME(NcclLibrary, ncclCommGetAsyncError);
SAME(NcclLibrary, ncclGetErrorString);
SAME(NcclLibrary, ncclGetLastError);
SAME(NcclLibrary, ncclGroupStart);
SAME(NcclLibrary, ncclGroupEnd);
SAME(NcclLibrary, ncclSend);
SAME(NcclLibrary, ncclRecv);
SAME(NcclLibrary, ncclAllGather);
SAME(NcclLibrary, ncclAllReduce);
SAME(NcclLibrary, ncclReduceScatter);
SAME(NcclLibrary, ncclBroadcast);
SAME(NcclLibrary, ncclReduce);
SAME(NcclLibrary, ncclRedOpCreatePreMulSum);
SAME(NcclLibrary, ncclRedOpDestroy);
SAME(NcclLibrary, ncclMemAlloc);
SAME(NcclLibrary, ncclMemFree);
SAME(NcclLibrary, ncclCommRegister);
SAME(NcclLibrary, ncclCommDeregister);

#if NCCL_VERSION_CODE >= 22700
SAME(NcclLibrary, ncclCommWindowRegister);
SAME(NcclLibrary, ncclCommWindowDeregister);
static_assert(symmetric_window == NCCL_WIN_COLL_SYMMETRIC);
#endif
#if NCCL_VERSION_CODE >= 22800
SAME(NcclLibrary, ncclAlltoAll);
SAME(NcclLibrary, ncclGather);
SAME(NcclLibrary, ncclScatter);
static_assert(window_granule == NCCL_WIN_REQUIRED_ALIGNMENT && zero_ctas == NCCL_CTA_POLICY_ZERO);

static_assert(sizeof(NcclConfig) == sizeof(ncclConfig_t));
#define SAME_PLACE(ours, theirs) \
  static_assert(offsetof(NcclConfig, ours) == offsetof(ncclConfig_t, theirs), #theirs)
SAME_PLACE(magic, magic);
SAME_PLACE(version, version);
SAME_PLACE(blocking, blocking);
SAME_PLACE(cga_cluster_size, cgaClusterSize);
SAME_PLACE(min_ctas, minCTAs);
SAME_PLACE(max_ctas, maxCTAs);
SAME_PLACE(net_name, netName);
SAME_PLACE(split_share, splitShare);
SAME_PLACE(traffic_class, trafficClass);
SAME_PLACE(comm_name, commName);
SAME_PLACE(collnet_enable, collnetEnable);
SAME_PLACE(cta_policy, CTAPolicy);
SAME_PLACE(shrink_share, shrinkShare);
SAME_PLACE(nvls_ctas, nvlsCTAs);
SAME_PLACE(channels_per_net_peer, nChannelsPerNetPeer);
SAME_PLACE(nvlink_centric_sched, nvlinkCentricSched);
static_assert(NCCL_CONFIG_UNDEF_INT == INT_MIN);
#endif

constexpr bool is(Element ours, ncclDataType_t theirs) {
  return static_cast<int>(ours) == static_cast<int>(theirs);
}
static_assert(is(Element::int8, ncclInt8) && is(Element::uint8, ncclUint8));
static_assert(is(Element::int32, ncclInt32) && is(Element::uint32, ncclUint32));
static_assert(is(Element::int64, ncclInt64) && is(Element::uint64, ncclUint64));
static_assert(is(Element::float16, ncclFloat16) && is(Element::float32, ncclFloat32));
static_assert(is(Element::float64, ncclFloat64) && is(Element::bfloat16, ncclBfloat16));
#if NCCL_VERSION_CODE >= 22400
static_assert(is(Element::float8e4m3, ncclFloat8e4m3) && is(Element::float8e5m2, ncclFloat8e5m2));
#endif

constexpr bool is(Reduction ours, ncclRedOp_t theirs) {
  return static_cast<int>(ours) == static_cast<int>(theirs);
}
static_assert(is(Reduction::sum, ncclSum) && is(Reduction::prod, ncclProd));
static_assert(is(Reduction::max, ncclMax) && is(Reduction::min, ncclMin));
static_assert(is(Reduction::avg, ncclAvg));

static_assert(scalar_of_host == ncclScalarHostImmediate);
static_assert(cuda_not_ready == cudaErrorNotReady);
static_assert(cuda_insufficient_driver == cudaErrorInsufficientDriver);
static_assert(cuda_copy_in_any_direction == cudaMemcpyDefault);
static_assert(cuda_non_blocking_stream == cudaStreamNonBlocking);
static_assert(cuda_capture_of_this_thread == cudaStreamCaptureModeThreadLocal);
static_assert(cuda_major_number == cudaDevAttrComputeCapabilityMajor);
static_assert(cuda_minor_number == cudaDevAttrComputeCapabilityMinor);

}  // namespace
