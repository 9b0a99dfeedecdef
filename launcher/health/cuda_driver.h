// NVIDIA's CUDA driver, libcuda.so.1, loaded at run time: its functions are called by name.
//
// Interface: NVIDIA's CUDA Driver API.
#pragma once

#include <dlfcn.h>
#include <fmt/core.h>

#include <string>

#include "common/error.h"

namespace slipway::health {

using DevicePointer = unsigned long long;  // CUdeviceptr

class CudaDriver {
 public:
  CudaDriver() : handle_(::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {}
  explicit operator bool() const { return handle_ != nullptr; }

  template <class... Given>
  int status_of(const char* name, Given... given) const {
    const auto function = reinterpret_cast<int (*)(Given...)>(::dlsym(handle_, name));
    if (function == nullptr) throw Error(fmt::format("this driver has no {}", name));
    return function(given...);
  }

  // Throws Error if it fails: "cuMemAlloc_v2: CUDA error 2".
  template <class... Given>
  void call(const char* name, Given... given) const {
    const int status = status_of(name, given...);
    if (status != 0) throw Error(fmt::format("{}: CUDA error {}", name, status));
  }

 private:
  void* handle_;  // never closed: what uses it is short-lived
};

}  // namespace slipway::health
