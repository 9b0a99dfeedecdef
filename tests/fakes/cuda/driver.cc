// The stand-in of libcuda.so.1, NVIDIA's driver: modules of PTX, and their kernels.
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>

#include "tests/fakes/cuda/declarations.h"
#include "tests/fakes/cuda/driver_call.h"
#include "tests/fakes/cuda/gpu.h"
#include "tests/fakes/cuda/ptx.h"

namespace {

using Module = std::map<std::string, fake::Kernel>;

}  // namespace

extern "C" {

CUresult CUDAAPI cuDriverGetVersion(int* version) {
  BEGIN_CALL;
  *version = static_cast<int>(fake::setting("FAKE_CUDA_DRIVER_VERSION", int64_t{13000}));
  return fake::to_result(fake::ok);
}

CUresult CUDAAPI cuDeviceGetName(char* name, int size, CUdevice device) {
  BEGIN_CALL;
  if (device < 0 || device >= fake::devices()) return fake::to_result(fake::invalid_device);
  std::snprintf(name, static_cast<size_t>(size), "%s",
                fake::setting("FAKE_CUDA_NAME", "NVIDIA H100 80GB HBM3").c_str());
  return fake::to_result(fake::ok);
}

CUresult CUDAAPI cuGetErrorString(CUresult error, const char** text) {
  static thread_local char said[32];
  std::snprintf(said, sizeof said, "driver error %d", static_cast<int>(error));
  *text = said;
  return fake::to_result(fake::ok);
}

CUresult CUDAAPI cuModuleLoadData(CUmodule* module, const void* image) {
  BEGIN_CALL;
  try {
    auto made = std::make_unique<Module>(fake::parse_ptx(static_cast<const char*>(image)));
    *module = reinterpret_cast<CUmodule>(made.release());
    return fake::to_result(fake::ok);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "stand-in of libcuda: %s\n", error.what());
    return fake::to_result(fake::invalid_ptx);
  }
}

CUresult CUDAAPI cuModuleUnload(CUmodule module) {
  BEGIN_CALL;
  fake::synchronize(nullptr);  // its kernels may still run
  delete reinterpret_cast<Module*>(module);
  return fake::to_result(fake::ok);
}

CUresult CUDAAPI cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  BEGIN_CALL;
  auto& all = *reinterpret_cast<Module*>(module);
  const auto found = all.find(name);
  if (found == all.end()) return fake::to_result(fake::not_found);
  *function = reinterpret_cast<CUfunction>(&found->second);
  return fake::to_result(fake::ok);
}

// The arguments are read before it returns, as by the real one.
CUresult CUDAAPI cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                                unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                                unsigned int block_z, unsigned int, CUstream stream,
                                void** arguments, void**) {
  BEGIN_CALL;
  const auto& kernel = *reinterpret_cast<fake::Kernel*>(function);
  const bool flat = grid_y == 1 && grid_z == 1 && block_y == 1 && block_z == 1;
  if (!flat || grid_x == 0 || block_x == 0 || block_x > 1024)
    return fake::to_result(fake::invalid_value);
  std::vector<uint64_t> values;
  for (size_t i = 0; i < kernel.parameter_bytes.size(); ++i) {
    uint64_t value = 0;
    std::memcpy(&value, arguments[i], static_cast<size_t>(kernel.parameter_bytes[i]));
    values.push_back(value);
  }
  if (fake::setting("FAKE_CUDA_KERNELS") == "skip") return fake::to_result(fake::ok);
  const int device = fake::current_device();
  return fake::to_result(fake::enqueue(reinterpret_cast<fake::Stream*>(stream), [=, &kernel] {
    uint64_t executed = 0;
    const int status = fake::run(kernel, {grid_x, block_x}, values, executed);
    fake::pass_time(device, executed);
    // By our kernels' custom, the first parameter is what they write.
    auto* const written = reinterpret_cast<void*>(values.empty() ? 0 : values.front());
    if (fake::is_on_device(written))
      fake::corrupt(kernel.name.c_str(), device, written, sizeof(uint32_t));
    return status;
  }));
}

}  // extern "C"
