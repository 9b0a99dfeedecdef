// NCCL's profiler interface, as far as this plugin uses it: versions 3 (NCCL 2.26), 4 (2.27) and 5
// (2.28, and newer ones fall back to it). Each struct ends with what we read, and a union has only
// the members that we read. Source: NVIDIA/nccl, ext-profiler/README.md and src/plugin/profiler.
#pragma once

#include <cstddef>
#include <cstdint>

namespace slipway::nccl_profiler {

constexpr int success = 0;  // ncclSuccess

// NCCL's own log.
using Log = void (*)(int level, unsigned long subsystems, const char* file, int line,
                     const char* format, ...);
constexpr int log_warn = 2, log_info = 3;
constexpr unsigned long log_init = 1;

// Of the mask that init returns, and of a descriptor's type.
constexpr int event_collective = 1 << 1, event_kernel_channel = 1 << 6;
constexpr int events = event_collective | event_kernel_channel;

// Of recordEventState: the GPU's time of the end of a channel.
constexpr int state_kernel_channel_stop = 22;

struct CollectiveDescriptor {
  uint64_t sequence;     // of this function in this communicator
  const char* function;  // "AllReduce"
  const void* send;
  void* receive;
  size_t count;
  int root;
  const char* datatype;  // "ncclFloat32"
  uint8_t channels;
};

struct KernelChannelDescriptor {
  uint8_t channel;
  uint64_t gpu_nanoseconds;  // its start; since version 4
};

// `Type` was one byte up to version 4; the bytes after it may be anything.
template <class Type>
struct Descriptor {
  Type type;
  void* parent;  // the collective's handle
  int rank;
  union {
    CollectiveDescriptor collective;
    KernelChannelDescriptor kernel_channel;
  };
};
using DescriptorV5 = Descriptor<uint64_t>;
using DescriptorV4 = Descriptor<uint8_t>;

struct NamedCollective {
  const char* communicator_name;
  uint64_t communicator;
  CollectiveDescriptor collective;
};

struct DescriptorV3 {
  uint8_t type;
  void* parent;
  int rank;
  union {
    NamedCollective named;
    KernelChannelDescriptor kernel_channel;
  };
};

// The same place in versions 4 and 5.
struct KernelChannelState {
  uint64_t gpu_nanoseconds;
};

// Descriptors and arguments are plain addresses here: NCCL has its own names for their types.
struct ProfilerV5 {
  const char* name;
  int (*init)(void** context, uint64_t communicator, int* mask, const char* communicator_name,
              int nodes, int ranks, int rank, Log log);
  int (*start)(void* context, void** handle, void* descriptor);
  int (*stop)(void* handle);
  int (*record)(void* handle, int state, void* arguments);
  int (*finalize)(void* context);
};

struct ProfilerV4 {
  const char* name;
  int (*init)(void** context, int* mask, const char* communicator_name, uint64_t communicator,
              int nodes, int ranks, int rank, Log log);
  int (*start)(void* context, void** handle, void* descriptor);
  int (*stop)(void* handle);
  int (*record)(void* handle, int state, void* arguments);
  int (*finalize)(void* context);
};

struct ProfilerV3 {
  const char* name;
  int (*init)(void** context, int* mask);
  int (*start)(void* context, void** handle, void* descriptor);
  int (*stop)(void* handle);
  int (*record)(void* handle, int state, void* arguments);
  int (*finalize)(void* context);
};

}  // namespace slipway::nccl_profiler
