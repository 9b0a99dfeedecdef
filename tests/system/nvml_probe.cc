// Prints what a program on a node learns from NVML, which it finds by its soname as any program
// does.
//
//   nvml_probe          a line for each GPU: number, UUID, bus address, and errors or other
//   problems nvml_probe events   waits for one Xid, and prints it
#include <dlfcn.h>
#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "launcher/simulated_nvml/nvml_calls.h"

namespace {

void* library = nullptr;

template <class Function>
Function* call(const char* name) {
  void* const found = ::dlsym(library, name);
  if (found != nullptr) return reinterpret_cast<Function*>(found);
  fmt::print(stderr, "no {}\n", name);
  std::exit(1);
}

void check(nvmlReturn_t result, const char* what) {
  if (result == NVML_SUCCESS) return;
  fmt::print("{}: {}\n", what, call<const char*(nvmlReturn_t)>("nvmlErrorString")(result));
  std::exit(1);
}

nvmlDevice_t device_at(unsigned index, nvmlReturn_t& result) {
  nvmlDevice_t device = nullptr;
  result =
      call<nvmlReturn_t(unsigned, nvmlDevice_t*)>("nvmlDeviceGetHandleByIndex_v2")(index, &device);
  return device;
}

void print_gpu(unsigned index) {
  nvmlReturn_t result = NVML_SUCCESS;
  const nvmlDevice_t device = device_at(index, result);
  if (result != NVML_SUCCESS) {
    fmt::print("{} {}\n", index, call<const char*(nvmlReturn_t)>("nvmlErrorString")(result));
    return;
  }
  char uuid[96] = {};
  check(call<nvmlReturn_t(nvmlDevice_t, char*, unsigned)>("nvmlDeviceGetUUID")(device, uuid,
                                                                               sizeof uuid),
        "uuid");
  nvmlPciInfo_t pci = {};
  check(call<nvmlReturn_t(nvmlDevice_t, nvmlPciInfo_t*)>("nvmlDeviceGetPciInfo_v3")(device, &pci),
        "pci");
  unsigned long long errors = 0;
  check(call<nvmlReturn_t(nvmlDevice_t, nvmlMemoryErrorType_t, nvmlEccCounterType_t,
                          unsigned long long*)>("nvmlDeviceGetTotalEccErrors")(
            device, NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_VOLATILE_ECC, &errors),
        "ecc");
  fmt::print("{} {} {} ecc {}\n", index, uuid, pci.busId, errors);
}

void wait_for_event(unsigned count) {
  nvmlEventSet_t set = nullptr;
  check(call<nvmlReturn_t(nvmlEventSet_t*)>("nvmlEventSetCreate")(&set), "event set");
  for (unsigned i = 0; i < count; ++i) {
    nvmlReturn_t result = NVML_SUCCESS;
    const nvmlDevice_t device = device_at(i, result);
    check(result, "device");
    check(call<nvmlReturn_t(nvmlDevice_t, unsigned long long, nvmlEventSet_t)>(
              "nvmlDeviceRegisterEvents")(device, nvmlEventTypeXidCriticalError, set),
          "register");
  }
  fmt::print("waiting\n");
  std::fflush(stdout);
  nvmlEventData_t event = {};
  check(call<nvmlReturn_t(nvmlEventSet_t, nvmlEventData_t*, unsigned)>("nvmlEventSetWait_v2")(
            set, &event, 20'000),
        "wait");
  char uuid[96] = {};
  check(call<nvmlReturn_t(nvmlDevice_t, char*, unsigned)>("nvmlDeviceGetUUID")(event.device, uuid,
                                                                               sizeof uuid),
        "uuid");
  fmt::print("Xid {} on {}\n", event.eventData, uuid);
}

}  // namespace

int main(int argc, char** argv) {
  library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (library == nullptr) {
    fmt::print("{}\n", ::dlerror());
    return 1;
  }
  check(call<nvmlReturn_t()>("nvmlInit_v2")(), "init");
  unsigned count = 0;
  check(call<nvmlReturn_t(unsigned*)>("nvmlDeviceGetCount_v2")(&count), "count");
  if (argc > 1 && std::strcmp(argv[1], "events") == 0) {
    wait_for_event(count);
  } else {
    for (unsigned i = 0; i < count; ++i) print_gpu(i);
  }
  return call<nvmlReturn_t()>("nvmlShutdown")() == NVML_SUCCESS ? 0 : 1;
}
