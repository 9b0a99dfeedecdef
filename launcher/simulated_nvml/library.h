// Calls NVML, NVIDIA's or the simulated one: whichever the loader finds as libnvidia-ml.so.1.
#pragma once

#include <dlfcn.h>
#include <fmt/core.h>

#include <cstring>
#include <optional>
#include <string>

#include "launcher/simulated_nvml/nvml_calls.h"

namespace slipway::nvml {

// Calls NVML functions by name: one that this driver lacks counts as not supported.
class Library {
 public:
  Library() : handle_(::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {}

  explicit operator bool() const { return handle_ != nullptr; }

  // Of a function that may be missing. Null if it is.
  template <class Function>
  Function find(const char* name) const {
    return reinterpret_cast<Function>(::dlsym(handle_, name));
  }

  template <class... Given>
  nvmlReturn_t call(const char* name, Given... given) const {
    using Function = nvmlReturn_t (*)(Given...);
    const auto function = reinterpret_cast<Function>(::dlsym(handle_, name));
    return function == nullptr ? NVML_ERROR_NOT_SUPPORTED : function(given...);
  }

  // Reads a value through the last parameter.
  template <class Value, class... Given>
  std::optional<Value> ask(const char* name, Given... given) const {
    Value value{};
    if (call(name, given..., &value) != NVML_SUCCESS) return std::nullopt;
    return value;
  }

  template <class... Given>
  std::string text(const char* name, Given... given) const {
    char buffer[128] = {};
    const bool is =
        call(name, given..., &buffer[0], static_cast<unsigned>(sizeof buffer)) == NVML_SUCCESS;
    return is ? std::string(buffer, ::strnlen(buffer, sizeof buffer)) : "";
  }

  std::string words_of(nvmlReturn_t code) const {
    using Function = const char* (*)(nvmlReturn_t);
    const auto function = reinterpret_cast<Function>(::dlsym(handle_, "nvmlErrorString"));
    return function == nullptr ? fmt::format("NVML error {}", static_cast<int>(code))
                               : function(code);
  }

 private:
  void* handle_;  // never closed: the process is short-lived
};

}  // namespace slipway::nvml
