// Runs a computation and memory copies on each GPU. Interface: NVIDIA's CUDA Driver API.
#include "launcher/health/cuda.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <array>
#include <chrono>
#include <cstdint>

#include "common/error.h"

namespace slipway::health {
namespace {

constexpr size_t block_bytes = 256 << 20;
constexpr int copies = 20;
constexpr unsigned numbers = 1 << 20, threads = 256;

// out[i] = i * i + 7, for each index of the grid.
constexpr const char* squares = R"(
.version 6.0
.target sm_50
.address_size 64
.visible .entry squares(.param .u64 out)
{
  .reg .u32 %r<6>;
  .reg .u64 %rd<4>;
  ld.param.u64 %rd0, [out];
  cvta.to.global.u64 %rd1, %rd0;
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r0, %r1, %r2;
  mul.wide.u32 %rd2, %r3, 4;
  add.u64 %rd3, %rd1, %rd2;
  mad.lo.u32 %r4, %r3, %r3, 7;
  st.global.u32 [%rd3], %r4;
  ret;
}
)";

using Pointer = unsigned long long;  // CUdeviceptr

class Driver {
 public:
  Driver() : handle_(::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {}
  explicit operator bool() const { return handle_ != nullptr; }

  template <class... Given>
  int status_of(const char* name, Given... given) const {
    const auto function = reinterpret_cast<int (*)(Given...)>(::dlsym(handle_, name));
    if (function == nullptr) throw Error(fmt::format("this driver has no {}", name));
    return function(given...);
  }

  template <class... Given>
  void call(const char* name, Given... given) const {
    const int status = status_of(name, given...);
    if (status != 0) throw Error(fmt::format("{}: CUDA error {}", name, status));
  }

 private:
  void* handle_;
};

// The time in seconds of `copies` calls of `copy`, after one warm-up call.
template <class Copy>
double seconds_of(const Driver& cuda, Copy copy) {
  copy();
  cuda.call("cuCtxSynchronize");
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < copies; ++i) copy();
  cuda.call("cuCtxSynchronize");
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void measure_copies(const Driver& cuda, CudaGpu& gpu) {
  Pointer from = 0, to = 0;
  void* host = nullptr;
  cuda.call("cuMemAlloc_v2", &from, block_bytes);
  cuda.call("cuMemAlloc_v2", &to, block_bytes);
  cuda.call("cuMemHostAlloc", &host, block_bytes, 0U);
  const double bytes = static_cast<double>(block_bytes) * copies;
  gpu.copy_gb_per_s = 2 * bytes / 1e9 / seconds_of(cuda, [&] {
                        cuda.call("cuMemcpyDtoD_v2", to, from, block_bytes);
                      });
  gpu.host_gb_per_s =
      bytes / 1e9 / seconds_of(cuda, [&] {
        cuda.call("cuMemcpyHtoD_v2", to, static_cast<const void*>(host), block_bytes);
      });
  gpu.to_host_gb_per_s = bytes / 1e9 / seconds_of(cuda, [&] {
                           cuda.call("cuMemcpyDtoH_v2", host, from, block_bytes);
                         });
  cuda.call("cuMemFreeHost", host);
  cuda.call("cuMemFree_v2", from);
  cuda.call("cuMemFree_v2", to);
}

void compute(const Driver& cuda, CudaGpu& gpu) {
  void* module = nullptr;
  void* function = nullptr;
  void* const no_stream = nullptr;
  Pointer out = 0;
  cuda.call("cuModuleLoadData", &module, static_cast<const void*>(squares));
  cuda.call("cuModuleGetFunction", &function, module, "squares");
  cuda.call("cuMemAlloc_v2", &out, size_t{numbers} * sizeof(uint32_t));
  std::array<void*, 1> parameters = {&out};
  cuda.call("cuLaunchKernel", function, numbers / threads, 1U, 1U, threads, 1U, 1U, 0U, no_stream,
            parameters.data(), static_cast<void**>(nullptr));
  std::vector<uint32_t> result(numbers);
  cuda.call("cuMemcpyDtoH_v2", static_cast<void*>(result.data()), out,
            result.size() * sizeof(uint32_t));
  cuda.call("cuMemFree_v2", out);
  cuda.call("cuModuleUnload", module);
  gpu.right = true;
  for (uint32_t i = 0; i < numbers; ++i) gpu.right = gpu.right && result[i] == i * i + 7;
}

CudaGpu run_gpu(const Driver& cuda, int index) {
  CudaGpu gpu;
  gpu.index = index;
  try {
    int device = 0;
    void* context = nullptr;
    cuda.call("cuDeviceGet", &device, index);
    cuda.call("cuDevicePrimaryCtxRetain", &context, device);
    cuda.call("cuCtxSetCurrent", context);
    compute(cuda, gpu);
    measure_copies(cuda, gpu);
    cuda.call("cuDevicePrimaryCtxRelease_v2", device);
  } catch (const Error& error) {
    gpu.failed = error.what();
  }
  return gpu;
}

}  // namespace

CudaResult run_cuda(const std::function<void(const std::string&)>& doing) {
  CudaResult result;
  doing("loading CUDA");
  const Driver cuda;
  if (!cuda) {
    result.missing = "libcuda.so.1 not found";
    return result;
  }
  doing("cuInit");
  int count = 0;
  cuda.call("cuInit", 0U);
  cuda.call("cuDeviceGetCount", &count);
  if (count == 0) result.missing = "CUDA found no device";
  for (int i = 0; i < count; ++i) {
    doing(fmt::format("computing on GPU {}", i));
    result.gpus.push_back(run_gpu(cuda, i));
  }
  return result;
}

}  // namespace slipway::health
