// The CUDA runtime and NCCL, loaded at run time.
#include "nccl-tests/nccl_library.h"

#include <dlfcn.h>

#include <filesystem>
#include <initializer_list>

#include <fmt/core.h>

#include "common/error.h"

namespace slipway::bandwidth {
namespace {

constexpr int oldest_nccl = 21800;  // the first with ncclCommSplit
constexpr const char* cuda_folder = "/usr/local/cuda/lib64/";

// Searches the loader's paths first, then the usual folders of a CUDA installation.
void* open_first(std::initializer_list<const char*> names, std::string_view what) {
  for (const char* name : names) {
    if (void* library = ::dlopen(name, RTLD_NOW | RTLD_GLOBAL)) return library;
  }
  for (const char* name : names) {
    const std::string path = cuda_folder + std::string(name);
    if (void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)) return library;
  }
  throw Error(fmt::format("{} is not installed: cannot load {}", what, *names.begin()));
}

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr) throw Error(fmt::format("the library has no {}: it is too old", name));
}

void find_cuda(void* cuda, NcclLibrary& to) {
  find(cuda, "cudaGetDeviceCount", to.cudaGetDeviceCount);
  find(cuda, "cudaSetDevice", to.cudaSetDevice);
  find(cuda, "cudaDeviceGetPCIBusId", to.cudaDeviceGetPCIBusId);
  find(cuda, "cudaMemGetInfo", to.cudaMemGetInfo);
  find(cuda, "cudaMalloc", to.cudaMalloc);
  find(cuda, "cudaFree", to.cudaFree);
  find(cuda, "cudaMemset", to.cudaMemset);
  find(cuda, "cudaMemcpy", to.cudaMemcpy);
  find(cuda, "cudaStreamCreate", to.cudaStreamCreate);
  find(cuda, "cudaStreamSynchronize", to.cudaStreamSynchronize);
  find(cuda, "cudaStreamDestroy", to.cudaStreamDestroy);
  find(cuda, "cudaRuntimeGetVersion", to.cudaRuntimeGetVersion);
  find(cuda, "cudaGetErrorString", to.cudaGetErrorString);
}

void find_nccl(void* nccl, NcclLibrary& to) {
  find(nccl, "ncclGetVersion", to.ncclGetVersion);
  find(nccl, "ncclGetErrorString", to.ncclGetErrorString);
  int version = 0;
  to.check_nccl(to.ncclGetVersion(&version), "ncclGetVersion");
  if (version < oldest_nccl) {
    throw Error(fmt::format("NCCL {}.{} is too old; 2.18 or newer is needed",
                            version < 10000 ? version / 1000 : version / 10000,
                            version < 10000 ? version / 100 % 10 : version / 100 % 100));
  }
  find(nccl, "ncclGetUniqueId", to.ncclGetUniqueId);
  find(nccl, "ncclCommInitRank", to.ncclCommInitRank);
  find(nccl, "ncclCommSplit", to.ncclCommSplit);
  find(nccl, "ncclCommDestroy", to.ncclCommDestroy);
  find(nccl, "ncclCommGetAsyncError", to.ncclCommGetAsyncError);
  find(nccl, "ncclGroupStart", to.ncclGroupStart);
  find(nccl, "ncclGroupEnd", to.ncclGroupEnd);
  find(nccl, "ncclSend", to.ncclSend);
  find(nccl, "ncclRecv", to.ncclRecv);
  find(nccl, "ncclAllGather", to.ncclAllGather);
  find(nccl, "ncclAllReduce", to.ncclAllReduce);
  find(nccl, "ncclReduceScatter", to.ncclReduceScatter);
  find(nccl, "ncclBroadcast", to.ncclBroadcast);
  find(nccl, "ncclReduce", to.ncclReduce);
}

}  // namespace

void NcclLibrary::check_cuda(int status, const char* what) const {
  if (status != 0) throw Error(fmt::format("{}: {}", what, cudaGetErrorString(status)));
}

void NcclLibrary::check_nccl(int status, const char* what) const {
  if (status != 0) throw Error(fmt::format("{}: {}", what, ncclGetErrorString(status)));
}

int NcclLibrary::devices() const {
  int count = 0;
  check_cuda(cudaGetDeviceCount(&count), "CUDA finds no GPU");
  if (count == 0) throw Error("CUDA finds no GPU");
  return count;
}

std::string NcclLibrary::device_name(int device) const {
  // A driver function, since the runtime's struct of properties changes with every release.
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW);
  using GetName = int (*)(char*, int, int);
  const auto get_name =
      driver == nullptr ? nullptr : reinterpret_cast<GetName>(::dlsym(driver, "cuDeviceGetName"));
  char name[256] = {};
  if (get_name == nullptr || get_name(name, sizeof name - 1, device) != 0) return "GPU";
  return name;
}

std::string NcclLibrary::version() const {
  int nccl = 0, cuda = 0;
  check_nccl(ncclGetVersion(&nccl), "ncclGetVersion");
  check_cuda(cudaRuntimeGetVersion(&cuda), "cudaRuntimeGetVersion");
  return fmt::format("NCCL {}.{}.{}, CUDA {}.{}", nccl / 10000, nccl / 100 % 100, nccl % 100,
                     cuda / 1000, cuda / 10 % 100);
}

std::shared_ptr<const NcclLibrary> load_nccl() {
  static const std::shared_ptr<const NcclLibrary> loaded = [] {
    auto library = std::make_shared<NcclLibrary>();
    find_cuda(
        open_first({"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"}, "CUDA's runtime"),
        *library);
    find_nccl(open_first({"libnccl.so.2"}, "NCCL"), *library);
    return library;
  }();
  return loaded;
}

bool has_usable_gpu() {
  if (!std::filesystem::exists("/proc/driver/nvidia/version")) return false;
  try {
    return load_nccl()->devices() > 0;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace slipway::bandwidth
