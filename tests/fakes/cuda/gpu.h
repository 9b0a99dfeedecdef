// The GPU that the stand-ins of libcuda, libcudart and libnccl share: memory, streams, counters.
//
// A process sees FAKE_CUDA_DEVICES GPUs (8 by default) of FAKE_CUDA_MEMORY bytes (80 GiB). Their
// memory is host memory that the program cannot touch: a pointer of cudaMalloc is mapped without
// any access, so a program that reads it without a copy dies as it would with a real GPU.
//
// FAKE_CUDA_CORRUPT=NAME@DEVICE[:N][,…] flips a bit of what a call or a kernel of this name has
// written on a device, each time, or only the Nth time. FAKE_CUDA_SLOW=DEVICE:FACTOR[,…] makes
// kernels take longer in the time of events, which counts instructions and not seconds.
//
// With FAKE_CUDA_KERNELS=skip kernels are accepted and not run, and with FAKE_NCCL_OPERATIONS=skip
// neither are NCCL's operations: only the work of the host remains, which needs no memory for data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

// Numbers of cudaError_t and CUresult, which are the same for these.
namespace fake {
enum Status : int {
  ok = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_initialized = 3,
  insufficient_driver = 35,
  no_device = 100,
  invalid_device = 101,
  invalid_context = 201,
  invalid_ptx = 218,
  invalid_handle = 400,
  not_found = 500,
  not_ready = 600,
  illegal_address = 700,
  not_permitted = 800,
  capture_unsupported = 900,
};

// A setting from the environment, or `otherwise`.
std::string setting(const char* name, const std::string& otherwise = "");
int64_t setting(const char* name, int64_t otherwise);

// Counts calls by function name, and amounts such as bytes copied. With FAKE_CUDA_COUNTERS=FILE a
// process appends "NAME VALUE" lines to FILE.PID when it ends.
void count(const char* name, int64_t amount = 1);
int64_t counted(const char* name);

// What VARIABLE=FUNCTION[@DEVICE][#N]=STATUS[,…] orders for a function that was just counted, `ok`
// without an order. With #N, only the Nth call of a process fails. STATUS may be `hang`: then the
// call never returns. The variable is FAKE_CUDA_FAIL, or FAKE_NCCL_FAIL for functions of NCCL.
int ordered_failure(const char* variable, const std::string& function);

int devices();
int current_device();
int set_device(int device);

// The device whose context is current in this thread, -1 without one. cudaSetDevice makes the
// primary context of its device current, as cuCtxSetCurrent does.
int current_context();
int set_context(int device);

// Memory of the current device.
int allocate(void** pointer, size_t bytes);
int release(void* pointer);
void release_all(int device);
void memory_left(size_t* left, size_t* total);
// A real GPU's memory is not at an address of the host: whether a pointer is of the device's.
bool is_on_device(const void* pointer);
// Where the stand-ins reach `bytes` at a pointer of the device; nullptr for any other pointer.
std::byte* reach(const void* pointer, size_t bytes);
// The same for device memory, or the pointer itself for memory of the host.
std::byte* reach_any(const void* pointer, size_t bytes);

// Flips a bit of what `name` has written at `place` on a device, if FAKE_CUDA_CORRUPT orders it.
void corrupt(const char* name, int device, void* place, size_t bytes);

// The time of events, in nanoseconds: kernels let it pass on their device.
void pass_time(int device, uint64_t instructions);
uint64_t time_on(int device);

// What a stream runs: returns a Status.
using Work = std::function<int()>;

// Queues work; a capturing stream records it instead. nullptr is the device's own stream.
int enqueue(struct Stream* stream, Work work);
struct Stream* make_stream();
int destroy_stream(Stream* stream);
int query(Stream* stream);
int synchronize(Stream* stream);

using Graph = std::vector<Work>;
int begin_capture(Stream* stream);
int end_capture(Stream* stream, std::shared_ptr<Graph>& graph);
}  // namespace fake
