// The GPU that the stand-ins of libcuda, libcudart and libnccl share: memory, streams, counters.
//
// A process sees FAKE_CUDA_DEVICES GPUs (8 by default) of FAKE_CUDA_MEMORY bytes (80 GiB). Their
// memory is host memory that the program cannot touch: a pointer of cudaMalloc is mapped without
// any access, so a program that reads it without a copy dies as it would with a real GPU.
//
// With FAKE_CUDA_KERNELS=skip kernels are accepted and not run: only the work of the host remains.
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
  insufficient_driver = 35,
  no_device = 100,
  invalid_device = 101,
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

// What FAKE_CUDA_FAIL=FUNCTION=STATUS[,…] orders for a function, `ok` without an order.
int ordered_failure(const char* function);

int devices();
int current_device();
int set_device(int device);

// Memory of the current device.
int allocate(void** pointer, size_t bytes);
int release(void* pointer);
void memory_left(size_t* left, size_t* total);
// Where the stand-ins reach `bytes` at a pointer of the device; nullptr for any other pointer.
std::byte* reach(const void* pointer, size_t bytes);
// The same for device memory, or the pointer itself for memory of the host.
std::byte* reach_any(const void* pointer, size_t bytes);

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
