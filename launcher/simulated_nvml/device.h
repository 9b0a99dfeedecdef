// What the files of the simulated NVML share: exported calls, and how they find their GPU.
#pragma once

#if __has_include(<nvml.h>)
#include <nvml.h>
#else
#include "launcher/simulated_nvml/nvml_calls.h"
#endif

#include <cstring>
#include <string>

#include "launcher/simulated_nvml/state.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace slipway::simulated_nvml {

// Finds the GPU for a handle, or returns why it cannot be queried.
nvmlReturn_t find_gpu(nvmlDevice_t device, Gpu& gpu);

// Of a handle that find_gpu() found.
unsigned index_of(nvmlDevice_t device);

inline nvmlReturn_t copy_text(const std::string& text, char* to, unsigned length) {
  if (to == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  if (length < text.size() + 1) return NVML_ERROR_INSUFFICIENT_SIZE;
  std::memcpy(to, text.c_str(), text.size() + 1);
  return NVML_SUCCESS;
}

// `make(gpu)` computes the requested value.
template <class Value, class Make>
nvmlReturn_t give(nvmlDevice_t device, Value* to, Make make) {
  Gpu gpu;
  const nvmlReturn_t found = find_gpu(device, gpu);
  if (found != NVML_SUCCESS) return found;
  if (to == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  *to = make(gpu);
  return NVML_SUCCESS;
}

}  // namespace slipway::simulated_nvml
