// The stand-in of libcuda.so.1: devices, primary contexts, memory, copies and events.
//
// As NVIDIA's CUDA Driver API describes them: before cuInit nothing works, without a context no
// memory, and a pointer that is not the device's is an invalid value.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "tests/fakes/cuda/declarations.h"
#include "tests/fakes/cuda/driver_call.h"
#include "tests/fakes/cuda/gpu.h"

namespace {

std::atomic<bool> initialized = false;

// A context is the address of its device's entry; 0 users: it is not there.
struct Contexts {
  std::mutex mutex;
  std::map<int, int> users;
};
Contexts& contexts() {
  static Contexts* const all = new Contexts;
  return *all;
}

constexpr size_t most_devices = 128;
char context_places[most_devices];

int device_of(CUcontext context) {
  const auto* const place = reinterpret_cast<const char*>(context);
  const bool is_one = place >= context_places && place < context_places + most_devices;
  return is_one ? static_cast<int>(place - context_places) : -1;
}

int check_device(CUdevice device) {
  if (!initialized) return fake::not_initialized;
  return device < 0 || device >= fake::devices() ? int{fake::invalid_device} : int{fake::ok};
}

// Why memory cannot be used. The runtime initializes the driver by itself.
int check_context() {
  if (fake::current_context() >= 0) return fake::ok;
  return initialized ? fake::invalid_context : fake::not_initialized;
}

std::byte* on_device(CUdeviceptr pointer, size_t bytes) {
  return fake::reach(reinterpret_cast<const void*>(pointer), bytes);
}

// A copy waits for what the device's own stream has to do, and meets its error.
int copy_now(const char* name, void* to, void* inside_to, const void* inside_from, size_t bytes) {
  if (const int status = check_context(); status != fake::ok) return status;
  if (inside_to == nullptr || inside_from == nullptr) return fake::invalid_value;
  if (const int status = fake::synchronize(nullptr); status != fake::ok) return status;
  std::memmove(inside_to, inside_from, bytes);
  fake::corrupt(name, fake::current_device(), to, bytes);
  return fake::ok;
}

void* host_memory(void* pointer) {
  return fake::is_on_device(pointer) ? nullptr : pointer;
}

struct Event {
  std::mutex mutex;
  bool is_recorded = false, is_done = false;
  uint64_t ns = 0;
};

std::shared_ptr<Event>& event_of(CUevent event) {
  return *reinterpret_cast<std::shared_ptr<Event>*>(event);
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuInit(unsigned int flags) {
  BEGIN_CALL;
  if (flags != 0) return fake::to_result(fake::invalid_value);
  if (fake::devices() == 0) return fake::to_result(fake::no_device);
  initialized = true;
  return fake::to_result(fake::ok);
}

CUresult CUDAAPI cuDeviceGetCount(int* count) {
  BEGIN_CALL;
  if (!initialized) return fake::to_result(fake::not_initialized);
  if (count == nullptr) return fake::to_result(fake::invalid_value);
  *count = fake::devices();
  return fake::to_result(fake::ok);
}

CUresult CUDAAPI cuDeviceGet(CUdevice* device, int ordinal) {
  BEGIN_CALL;
  if (device == nullptr) return fake::to_result(fake::invalid_value);
  const int status = check_device(ordinal);
  if (status == fake::ok) *device = ordinal;
  return fake::to_result(status);
}

CUresult CUDAAPI cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  BEGIN_CALL;
  if (const int status = check_device(device); status != fake::ok) return fake::to_result(status);
  if (value == nullptr || attribute != CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
    return fake::to_result(fake::invalid_value);
  *value = static_cast<int>(fake::setting("FAKE_CUDA_MULTIPROCESSORS", int64_t{1}));
  return fake::to_result(fake::ok);
}

CUresult CUDAAPI cuDeviceGetPCIBusId(char* text, int size, CUdevice device) {
  BEGIN_CALL;
  if (const int status = check_device(device); status != fake::ok) return fake::to_result(status);
  std::snprintf(text, static_cast<size_t>(size), "0000:%02X:00.0", 4 + device);
  return fake::to_result(fake::ok);
}

CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  BEGIN_CALL;
  if (const int status = check_device(device); status != fake::ok) return fake::to_result(status);
  if (context == nullptr) return fake::to_result(fake::invalid_value);
  const std::lock_guard lock(contexts().mutex);
  ++contexts().users[device];
  *context = reinterpret_cast<CUcontext>(&context_places[device]);
  return fake::to_result(fake::ok);
}

// With its last user, a context and its memory are gone.
CUresult CUDAAPI cuDevicePrimaryCtxRelease(CUdevice device) {
  BEGIN_CALL;
  if (const int status = check_device(device); status != fake::ok) return fake::to_result(status);
  const std::lock_guard lock(contexts().mutex);
  if (contexts().users[device] == 0) return fake::to_result(fake::invalid_context);
  if (--contexts().users[device] == 0) {
    fake::release_all(device);
    if (fake::current_context() == device) fake::set_context(-1);
  }
  return fake::to_result(fake::ok);
}

CUresult CUDAAPI cuCtxSetCurrent(CUcontext context) {
  BEGIN_CALL;
  if (!initialized) return fake::to_result(fake::not_initialized);
  if (context == nullptr) return fake::to_result(fake::set_context(-1));
  const int device = device_of(context);
  const std::lock_guard lock(contexts().mutex);
  if (device < 0 || contexts().users[device] == 0) return fake::to_result(fake::invalid_context);
  return fake::to_result(fake::set_context(device));
}

CUresult CUDAAPI cuCtxSynchronize(void) {
  BEGIN_CALL;
  const int status = check_context();
  return fake::to_result(status == fake::ok ? fake::synchronize(nullptr) : status);
}

CUresult CUDAAPI cuMemGetInfo(size_t* left, size_t* total) {
  BEGIN_CALL;
  if (const int status = check_context(); status != fake::ok) return fake::to_result(status);
  fake::memory_left(left, total);
  return fake::to_result(fake::ok);
}

CUresult CUDAAPI cuMemAlloc(CUdeviceptr* pointer, size_t bytes) {
  BEGIN_CALL;
  if (const int status = check_context(); status != fake::ok) return fake::to_result(status);
  if (pointer == nullptr || bytes == 0) return fake::to_result(fake::invalid_value);
  void* made = nullptr;
  const int status = fake::allocate(&made, bytes);
  if (status == fake::ok) *pointer = reinterpret_cast<CUdeviceptr>(made);
  return fake::to_result(status);
}

CUresult CUDAAPI cuMemFree(CUdeviceptr pointer) {
  BEGIN_CALL;
  const int status = check_context();
  return fake::to_result(status == fake::ok ? fake::release(reinterpret_cast<void*>(pointer))
                                            : status);
}

CUresult CUDAAPI cuMemHostAlloc(void** pointer, size_t bytes, unsigned int flags) {
  BEGIN_CALL;
  if (const int status = check_context(); status != fake::ok) return fake::to_result(status);
  if (pointer == nullptr || bytes == 0 || flags > 7) return fake::to_result(fake::invalid_value);
  constexpr size_t page = 4096;
  *pointer = std::aligned_alloc(page, (bytes + page - 1) / page * page);
  return fake::to_result(*pointer == nullptr ? fake::out_of_memory : fake::ok);
}

CUresult CUDAAPI cuMemFreeHost(void* pointer) {
  BEGIN_CALL;
  if (const int status = check_context(); status != fake::ok) return fake::to_result(status);
  if (pointer == nullptr || fake::is_on_device(pointer))
    return fake::to_result(fake::invalid_value);
  std::free(pointer);
  return fake::to_result(fake::ok);
}

CUresult CUDAAPI cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
  BEGIN_CALL;
  fake::count("bytes to the device", static_cast<int64_t>(bytes));
  return fake::to_result(copy_now(__func__, reinterpret_cast<void*>(to), on_device(to, bytes),
                                  host_memory(const_cast<void*>(from)), bytes));
}

CUresult CUDAAPI cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
  BEGIN_CALL;
  fake::count("bytes to the host", static_cast<int64_t>(bytes));
  return fake::to_result(copy_now(__func__, to, host_memory(to), on_device(from, bytes), bytes));
}

CUresult CUDAAPI cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  BEGIN_CALL;
  fake::count("bytes within devices", static_cast<int64_t>(bytes));
  return fake::to_result(copy_now(__func__, reinterpret_cast<void*>(to), on_device(to, bytes),
                                  on_device(from, bytes), bytes));
}

CUresult CUDAAPI cuMemsetD8(CUdeviceptr to, unsigned char value, size_t bytes) {
  BEGIN_CALL;
  if (const int status = check_context(); status != fake::ok) return fake::to_result(status);
  std::byte* const inside = on_device(to, bytes);
  if (inside == nullptr) return fake::to_result(fake::invalid_value);
  if (const int status = fake::synchronize(nullptr); status != fake::ok)
    return fake::to_result(status);
  std::memset(inside, value, bytes);
  return fake::to_result(fake::ok);
}

CUresult CUDAAPI cuEventCreate(CUevent* event, unsigned int flags) {
  BEGIN_CALL;
  if (const int status = check_context(); status != fake::ok) return fake::to_result(status);
  if (event == nullptr || flags > 7) return fake::to_result(fake::invalid_value);
  *event = reinterpret_cast<CUevent>(new std::shared_ptr<Event>(std::make_shared<Event>()));
  return fake::to_result(fake::ok);
}

CUresult CUDAAPI cuEventDestroy(CUevent event) {
  BEGIN_CALL;
  delete &event_of(event);
  return fake::to_result(fake::ok);
}

CUresult CUDAAPI cuEventRecord(CUevent event, CUstream stream) {
  BEGIN_CALL;
  const std::shared_ptr<Event> one = event_of(event);
  {
    const std::lock_guard lock(one->mutex);
    one->is_recorded = true;
    one->is_done = false;
  }
  const int device = fake::current_device();
  return fake::to_result(fake::enqueue(reinterpret_cast<fake::Stream*>(stream), [one, device] {
    const std::lock_guard lock(one->mutex);
    one->ns = fake::time_on(device);
    one->is_done = true;
    return int{fake::ok};
  }));
}

CUresult CUDAAPI cuEventElapsedTime(float* milliseconds, CUevent begin, CUevent end) {
  BEGIN_CALL;
  uint64_t times[2] = {};
  for (const int i : {0, 1}) {
    Event& one = *event_of(i == 0 ? begin : end);
    const std::lock_guard lock(one.mutex);
    if (!one.is_recorded) return fake::to_result(fake::invalid_handle);
    if (!one.is_done) return fake::to_result(fake::not_ready);
    times[i] = one.ns;
  }
  *milliseconds = static_cast<float>(static_cast<double>(times[1] - times[0]) / 1e6);
  return fake::to_result(fake::ok);
}

}  // extern "C"
