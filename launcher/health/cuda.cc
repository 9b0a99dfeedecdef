// Runs a computation and memory copies on each GPU. Interface: NVIDIA's CUDA Driver API.
#include "launcher/health/cuda.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <span>

#include "common/error.h"
#include "launcher/health/cuda_driver.h"

namespace slipway::health {

// out[i] = i * i + 7, for each index of the grid.
const char* const gpu_kernel = R"(
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

namespace {

constexpr size_t most_block_bytes = 256 << 20;
constexpr int copies = 20;
constexpr unsigned numbers = 1 << 20, threads = 256;

// The time in seconds of `copies` calls of `copy`, after one warm-up call.
template <class Copy>
double seconds_of(const CudaDriver& cuda, Copy copy) {
  copy();
  cuda.call("cuCtxSynchronize");
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < copies; ++i) copy();
  cuda.call("cuCtxSynchronize");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return std::max(took.count(), 1e-9);
}

// What is copied: no two words are equal, so that data of another place is wrong, too.
uint64_t word_at(size_t i) {
  uint64_t word = (i + 1) * 0x9e3779b97f4a7c15;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
  return word ^ (word >> 27);
}

bool is_pattern(std::span<const uint64_t> words) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] != word_at(i)) return false;
  }
  return true;
}

// Two blocks of it are in the GPU's memory, which others may use, too.
size_t block_that_fits(const CudaDriver& cuda) {
  size_t left = 0, total = 0;
  cuda.call("cuMemGetInfo_v2", &left, &total);
  constexpr size_t page = size_t{1} << 20;
  return std::max(page, std::min(most_block_bytes, left / 4) / page * page);
}

// What is read from the device must be what was copied to it.
bool arrives(const CudaDriver& cuda, DevicePointer device, std::span<uint64_t> host) {
  std::ranges::fill(host, 0);
  cuda.call("cuMemcpyDtoH_v2", static_cast<void*>(host.data()), device, host.size_bytes());
  return is_pattern(host);
}

void measure_copies(const CudaDriver& cuda, CudaGpu& gpu) {
  const size_t bytes = block_that_fits(cuda);
  DevicePointer from = 0, to = 0;
  void* host = nullptr;
  cuda.call("cuMemAlloc_v2", &from, bytes);
  cuda.call("cuMemAlloc_v2", &to, bytes);
  cuda.call("cuMemHostAlloc", &host, bytes, 0U);
  const std::span words(static_cast<uint64_t*>(host), bytes / sizeof(uint64_t));
  for (size_t i = 0; i < words.size(); ++i) words[i] = word_at(i);
  const double gb = static_cast<double>(bytes) * copies / 1e9;
  gpu.host_gb_per_s = gb / seconds_of(cuda, [&] {
                        cuda.call("cuMemcpyHtoD_v2", from, static_cast<const void*>(host), bytes);
                      });
  gpu.copy_gb_per_s =
      2 * gb / seconds_of(cuda, [&] { cuda.call("cuMemcpyDtoD_v2", to, from, bytes); });
  gpu.to_host_gb_per_s =
      gb / seconds_of(cuda, [&] { cuda.call("cuMemcpyDtoH_v2", host, from, bytes); });
  if (!is_pattern(words) || !arrives(cuda, from, words))
    gpu.wrong_copy = "from the host or to it";
  else if (!arrives(cuda, to, words))
    gpu.wrong_copy = "within its memory";
  cuda.call("cuMemFreeHost", host);
  cuda.call("cuMemFree_v2", from);
  cuda.call("cuMemFree_v2", to);
}

void compute(const CudaDriver& cuda, CudaGpu& gpu) {
  void* module = nullptr;
  void* function = nullptr;
  void* const no_stream = nullptr;
  DevicePointer out = 0;
  cuda.call("cuModuleLoadData", &module, static_cast<const void*>(gpu_kernel));
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

CudaGpu run_gpu(const CudaDriver& cuda, int index) {
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
  const CudaDriver cuda;
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
