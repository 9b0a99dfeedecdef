// The stand-in of libcudart: devices, memory, streams and graphs.
#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>

#include "tests/fakes/cuda/declarations.h"
#include "tests/fakes/cuda/gpu.h"

#define BEGIN_CALL                                                                                \
  fake::count(__func__);                                                                          \
  if (const int ordered = fake::ordered_failure("FAKE_CUDA_FAIL", __func__); ordered != fake::ok) \
  return to_error(ordered)

namespace {

thread_local int last_error = 0;

cudaError_t to_error(int status) {
  if (status != fake::ok && status != fake::not_ready) last_error = status;
  return static_cast<cudaError_t>(status);
}

fake::Stream* own(cudaStream_t stream) {
  return reinterpret_cast<fake::Stream*>(stream);
}

int runtime_version() {
  return static_cast<int>(fake::setting("FAKE_CUDA_RUNTIME_VERSION", int64_t{13000}));
}

int driver_version() {
  return static_cast<int>(fake::setting("FAKE_CUDA_DRIVER_VERSION", int64_t{13000}));
}

// What the runtime says before anything else: a driver of an older major version cannot be used.
int usable() {
  if (driver_version() / 1000 < runtime_version() / 1000) return fake::insufficient_driver;
  return fake::devices() == 0 ? fake::no_device : fake::ok;
}

int copy(void* to, const void* from, size_t bytes) {
  const bool to_device = fake::reach(to, bytes) != nullptr;
  const bool from_device = fake::reach(from, bytes) != nullptr;
  if (to_device && !from_device) fake::count("bytes to the device", static_cast<int64_t>(bytes));
  if (!to_device && from_device) fake::count("bytes to the host", static_cast<int64_t>(bytes));
  std::memmove(fake::reach_any(to, bytes), fake::reach_any(from, bytes), bytes);
  return fake::ok;
}

int fill(void* at, int value, size_t bytes) {
  std::byte* const inside = fake::reach(at, bytes);
  if (inside == nullptr) return fake::illegal_address;
  // Zeros cost no memory of the host as long as nobody writes to them.
  const bool whole_pages = (reinterpret_cast<uintptr_t>(inside) | bytes) % 4096 == 0;
  if (value == 0 && whole_pages && ::madvise(inside, bytes, MADV_REMOVE) == 0) return fake::ok;
  std::memset(inside, value, bytes);
  return fake::ok;
}

using SharedGraph = std::shared_ptr<fake::Graph>;

}  // namespace

extern "C" {

cudaError_t CUDARTAPI cudaRuntimeGetVersion(int* version) {
  BEGIN_CALL;
  *version = runtime_version();
  return to_error(fake::ok);
}

cudaError_t CUDARTAPI cudaDriverGetVersion(int* version) {
  BEGIN_CALL;
  *version = driver_version();
  return to_error(fake::ok);
}

const char* CUDARTAPI cudaGetErrorString(cudaError_t error) {
  switch (static_cast<int>(error)) {
    case fake::out_of_memory:
      return "out of memory";
    case fake::insufficient_driver:
      return "CUDA driver version is insufficient for CUDA runtime version";
    case fake::no_device:
      return "no CUDA-capable device is detected";
    case fake::invalid_device:
      return "invalid device ordinal";
    case fake::illegal_address:
      return "an illegal memory access was encountered";
    default:
      return "unknown error";
  }
}

cudaError_t CUDARTAPI cudaGetLastError(void) {
  const int last = last_error;
  last_error = fake::ok;
  return static_cast<cudaError_t>(last);
}

cudaError_t CUDARTAPI cudaGetDeviceCount(int* count) {
  BEGIN_CALL;
  *count = usable() == fake::ok ? fake::devices() : 0;
  return to_error(usable());
}

cudaError_t CUDARTAPI cudaSetDevice(int device) {
  BEGIN_CALL;
  return to_error(usable() != fake::ok ? usable() : fake::set_device(device));
}

cudaError_t CUDARTAPI cudaGetDevice(int* device) {
  BEGIN_CALL;
  *device = fake::current_device();
  return to_error(fake::ok);
}

cudaError_t CUDARTAPI cudaDeviceGetPCIBusId(char* text, int size, int device) {
  BEGIN_CALL;
  if (device < 0 || device >= fake::devices()) return to_error(fake::invalid_device);
  std::snprintf(text, static_cast<size_t>(size), "0000:%02X:00.0", 4 + device);
  return to_error(fake::ok);
}

cudaError_t CUDARTAPI cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  BEGIN_CALL;
  if (device < 0 || device >= fake::devices()) return to_error(fake::invalid_device);
  const auto capability = fake::setting("FAKE_CUDA_CAPABILITY", int64_t{90});
  if (attribute == cudaDevAttrComputeCapabilityMajor)
    *value = static_cast<int>(capability / 10);
  else if (attribute == cudaDevAttrComputeCapabilityMinor)
    *value = static_cast<int>(capability % 10);
  else
    return to_error(fake::invalid_value);
  return to_error(fake::ok);
}

cudaError_t CUDARTAPI cudaMemGetInfo(size_t* left, size_t* total) {
  BEGIN_CALL;
  fake::memory_left(left, total);
  return to_error(fake::ok);
}

cudaError_t CUDARTAPI cudaMalloc(void** pointer, size_t bytes) {
  BEGIN_CALL;
  return to_error(fake::allocate(pointer, bytes));
}

cudaError_t CUDARTAPI cudaFree(void* pointer) {
  BEGIN_CALL;
  return to_error(fake::release(pointer));
}

cudaError_t CUDARTAPI cudaMemset(void* at, int value, size_t bytes) {
  BEGIN_CALL;
  return to_error(fake::reach(at, bytes) == nullptr ? int{fake::invalid_value}
                                                    : fill(at, value, bytes));
}

cudaError_t CUDARTAPI cudaMemsetAsync(void* at, int value, size_t bytes, cudaStream_t stream) {
  BEGIN_CALL;
  return to_error(fake::enqueue(own(stream), [=] { return fill(at, value, bytes); }));
}

cudaError_t CUDARTAPI cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  BEGIN_CALL;
  return to_error(copy(to, from, bytes));
}

cudaError_t CUDARTAPI cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind,
                                      cudaStream_t stream) {
  BEGIN_CALL;
  return to_error(fake::enqueue(own(stream), [=] { return copy(to, from, bytes); }));
}

cudaError_t CUDARTAPI cudaStreamCreate(cudaStream_t* stream) {
  BEGIN_CALL;
  *stream = reinterpret_cast<cudaStream_t>(fake::make_stream());
  return to_error(fake::ok);
}

cudaError_t CUDARTAPI cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  BEGIN_CALL;
  if (flags > 1) return to_error(fake::invalid_value);
  *stream = reinterpret_cast<cudaStream_t>(fake::make_stream());
  return to_error(fake::ok);
}

cudaError_t CUDARTAPI cudaStreamDestroy(cudaStream_t stream) {
  BEGIN_CALL;
  return to_error(fake::destroy_stream(own(stream)));
}

cudaError_t CUDARTAPI cudaStreamQuery(cudaStream_t stream) {
  BEGIN_CALL;
  return to_error(fake::query(own(stream)));
}

cudaError_t CUDARTAPI cudaStreamSynchronize(cudaStream_t stream) {
  BEGIN_CALL;
  return to_error(fake::synchronize(own(stream)));
}

cudaError_t CUDARTAPI cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  BEGIN_CALL;
  return to_error(fake::enqueue(own(stream), [=] {
    function(data);
    return int{fake::ok};
  }));
}

cudaError_t CUDARTAPI cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  BEGIN_CALL;
  return to_error(fake::begin_capture(own(stream)));
}

cudaError_t CUDARTAPI cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  BEGIN_CALL;
  SharedGraph captured;
  const int status = fake::end_capture(own(stream), captured);
  *graph = status == fake::ok ? reinterpret_cast<cudaGraph_t>(new SharedGraph(captured)) : nullptr;
  return to_error(status);
}

cudaError_t CUDARTAPI cudaGraphInstantiateWithFlags(cudaGraphExec_t* made, cudaGraph_t graph,
                                                    unsigned long long) {
  BEGIN_CALL;
  if (graph == nullptr) return to_error(fake::invalid_value);
  *made =
      reinterpret_cast<cudaGraphExec_t>(new SharedGraph(*reinterpret_cast<SharedGraph*>(graph)));
  return to_error(fake::ok);
}

cudaError_t CUDARTAPI cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  BEGIN_CALL;
  for (const fake::Work& work : **reinterpret_cast<SharedGraph*>(graph)) {
    if (const int status = fake::enqueue(own(stream), work); status != fake::ok)
      return to_error(status);
  }
  return to_error(fake::ok);
}

cudaError_t CUDARTAPI cudaGraphDestroy(cudaGraph_t graph) {
  BEGIN_CALL;
  delete reinterpret_cast<SharedGraph*>(graph);
  return to_error(fake::ok);
}

cudaError_t CUDARTAPI cudaGraphExecDestroy(cudaGraphExec_t graph) {
  BEGIN_CALL;
  delete reinterpret_cast<SharedGraph*>(graph);
  return to_error(fake::ok);
}

}  // extern "C"
