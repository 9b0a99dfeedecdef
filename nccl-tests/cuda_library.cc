// The CUDA runtime and driver, loaded at run time.
#include "nccl-tests/cuda_library.h"

#include <dlfcn.h>

#include <vector>

#include <fmt/core.h>

#include "common/error.h"
#include "common/text.h"
#include "nccl-tests/find_function.h"

namespace slipway::bandwidth {
namespace {

constexpr const char* cuda_folder = "/usr/local/cuda/lib64/";
constexpr const char* driver_name = "libcuda.so.1";

void find_runtime(void* library, CudaLibrary& to) {
  SLIPWAY_FIND(library, to, cudaGetDeviceCount);
  SLIPWAY_FIND(library, to, cudaSetDevice);
  SLIPWAY_FIND(library, to, cudaDeviceGetPCIBusId);
  SLIPWAY_FIND(library, to, cudaDeviceGetAttribute);
  SLIPWAY_FIND(library, to, cudaMemGetInfo);
  SLIPWAY_FIND(library, to, cudaMalloc);
  SLIPWAY_FIND(library, to, cudaFree);
  SLIPWAY_FIND(library, to, cudaMemset);
  SLIPWAY_FIND(library, to, cudaMemcpyAsync);
  SLIPWAY_FIND(library, to, cudaStreamCreateWithFlags);
  SLIPWAY_FIND(library, to, cudaStreamQuery);
  SLIPWAY_FIND(library, to, cudaStreamSynchronize);
  SLIPWAY_FIND(library, to, cudaStreamDestroy);
  SLIPWAY_FIND(library, to, cudaStreamBeginCapture);
  SLIPWAY_FIND(library, to, cudaStreamEndCapture);
  SLIPWAY_FIND(library, to, cudaGraphInstantiateWithFlags);
  SLIPWAY_FIND(library, to, cudaGraphLaunch);
  SLIPWAY_FIND(library, to, cudaGraphDestroy);
  SLIPWAY_FIND(library, to, cudaGraphExecDestroy);
  SLIPWAY_FIND(library, to, cudaRuntimeGetVersion);
  SLIPWAY_FIND(library, to, cudaDriverGetVersion);
  SLIPWAY_FIND(library, to, cudaGetErrorString);
}

void find_driver(void* library, CudaLibrary& to) {
  SLIPWAY_FIND(library, to, cuDeviceGetName);
  SLIPWAY_FIND(library, to, cuModuleLoadData);
  SLIPWAY_FIND(library, to, cuModuleGetFunction);
  SLIPWAY_FIND(library, to, cuModuleUnload);
  SLIPWAY_FIND(library, to, cuLaunchKernel);
  SLIPWAY_FIND(library, to, cuEventCreate);
  SLIPWAY_FIND(library, to, cuEventRecord);
  SLIPWAY_FIND(library, to, cuEventElapsedTime);
  SLIPWAY_FIND(library, to, cuEventDestroy_v2);
  SLIPWAY_FIND(library, to, cuGetErrorString);
}

// A runtime that is newer than the driver finds no GPU, so an older one beside it is tried next.
void load_runtime(CudaLibrary& to) {
  std::vector<std::string> too_new;
  for (const char* name : {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"}) {
    void* const library = open_library(name);
    if (library == nullptr) continue;
    find_runtime(library, to);
    int count = 0;
    if (to.cudaGetDeviceCount(&count) != cuda_insufficient_driver) return;
    too_new.emplace_back(name);
  }
  if (too_new.empty()) {
    throw Error(
        "CUDA's runtime is not installed: cannot load libcudart.so.13; install it on every node, "
        "or "
        "add its folder to LD_LIBRARY_PATH; to measure host memory, say so with --backend tcp");
  }
  int driver = 0;
  (void)to.cudaDriverGetVersion(&driver);
  throw Error(fmt::format(
      "NVIDIA's driver is for CUDA {}.{} and too old for {}: update it, or install an older CUDA "
      "runtime",
      driver / 1000, driver / 10 % 100, join(too_new, " and ")));
}

}  // namespace

void* open_library(const char* name) {
  if (void* library = ::dlopen(name, RTLD_NOW | RTLD_GLOBAL)) return library;
  return ::dlopen((cuda_folder + std::string(name)).c_str(), RTLD_NOW | RTLD_GLOBAL);
}

void CudaLibrary::check(int status, const char* what) const {
  if (status != 0) throw Error(fmt::format("{}: {}", what, cudaGetErrorString(status)));
}

void CudaLibrary::check_driver(int status, const char* what) const {
  if (status == 0) return;
  const char* text = nullptr;
  (void)cuGetErrorString(status, &text);
  throw Error(fmt::format("{}: {}", what, text == nullptr ? "unknown error" : text));
}

int CudaLibrary::devices() const {
  int count = 0;
  check(cudaGetDeviceCount(&count), "CUDA finds no GPU");
  if (count == 0) throw Error("CUDA finds no GPU");
  return count;
}

// A driver function, since the runtime's struct of properties changes with every release.
std::string CudaLibrary::device_name(int device) const {
  char name[256] = {};
  return cuDeviceGetName(name, sizeof name - 1, device) == 0 ? name : "GPU";
}

int CudaLibrary::capability(int device) const {
  int major = 0, minor = 0;
  check(cudaDeviceGetAttribute(&major, cuda_major_number, device), "cudaDeviceGetAttribute");
  check(cudaDeviceGetAttribute(&minor, cuda_minor_number, device), "cudaDeviceGetAttribute");
  return major * 10 + minor;
}

int CudaLibrary::version() const {
  int version = 0;
  check(cudaRuntimeGetVersion(&version), "cudaRuntimeGetVersion");
  return version;
}

std::shared_ptr<const CudaLibrary> load_cuda() {
  static const std::shared_ptr<const CudaLibrary> loaded = [] {
    auto library = std::make_shared<CudaLibrary>();
    void* const driver = ::dlopen(driver_name, RTLD_NOW | RTLD_GLOBAL);
    // First: without it, the runtime says that the driver is too old.
    if (driver == nullptr)
      throw Error(
          "NVIDIA's driver is not installed: cannot load libcuda.so.1; to measure host memory, say "
          "so with --backend tcp");
    load_runtime(*library);
    find_driver(driver, *library);
    return library;
  }();
  return loaded;
}

GpuSearch find_gpus() {
  constexpr int stub_library = 34, no_device = 100;
  void* const driver = ::dlopen(driver_name, RTLD_NOW | RTLD_GLOBAL);
  if (driver == nullptr) return {};
  const auto init = reinterpret_cast<int (*)(unsigned)>(::dlsym(driver, "cuInit"));
  const auto text_of =
      reinterpret_cast<int (*)(int, const char**)>(::dlsym(driver, "cuGetErrorString"));
  if (init == nullptr || text_of == nullptr) return {};
  const int status = init(0);
  if (status == stub_library || status == no_device) return {};
  if (status == 0) return {.found = Gpus::usable};
  const char* text = nullptr;
  (void)text_of(status, &text);
  return {.found = Gpus::unusable,
          .problem = fmt::format("NVIDIA's driver cannot start: {} ({})",
                                 text == nullptr ? "unknown error" : text, status)};
}

}  // namespace slipway::bandwidth
