// What is known of one communicator: the collectives that run in it, and those that have ended
// since they were last written. Memory is fixed once it begins. NCCL calls from several threads.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>

namespace slipway::nccl_profiler {

constexpr size_t most_running = 1024;  // as many kernels as CUDA queues
constexpr size_t most_ended = 4096;    // between two writes
// Of these, about so many are written; see `ended`.
constexpr uint64_t enough = 1000;

struct Identity {
  uint64_t id = 0;  // NCCL's hash: the same on all ranks
  int rank = 0, ranks = 0, nodes = 0;
};

struct Collective {
  char function[16];  // "AllReduce"
  uint64_t sequence;  // of this function
  uint64_t bytes;
  int64_t entered;  // in microseconds since 1970, when the host launched it
};

enum class Timing : uint8_t { kernel_gpu, kernel_cpu, collective_cpu };

struct Ended {
  Collective collective;
  int64_t microseconds;
  Timing timing;
  uint64_t stride;  // one of so many is written
};

// What `take` hands to the writer.
struct Taken {
  Identity identity;
  const Ended* ended = nullptr;
  size_t count = 0;
  Collective waiting[2];  // the oldest and the newest that run for an interval or longer
  size_t waiting_count = 0;
};

// A reference to a collective that NCCL keeps. It is a number rather than an address: an event that
// comes too late finds nothing, and harms nothing.
struct Handle {
  explicit Handle(const void* from) : bits(reinterpret_cast<uintptr_t>(from)) {}
  Handle(size_t communicator, uint64_t serial, bool kernel)
      : bits(serial << 10 | communicator << 2 | (kernel ? 2U : 0U) | 1U) {}
  void* pointer() const { return reinterpret_cast<void*>(bits); }
  bool empty() const { return (bits & 1) == 0; }
  bool kernel() const { return (bits & 2) != 0; }
  size_t communicator() const { return bits >> 2 & 0xff; }
  uint64_t serial() const { return bits >> 10; }

  uintptr_t bits;
};
constexpr size_t most_communicators = 256;
static_assert(sizeof(void*) == 8, "a handle needs 64 bits");

class Communicator {
 public:
  // False if it is in use, or without memory.
  bool begin(const Identity& identity);
  void finish();   // it is free again after the next `take`
  void release();  // its memory

  // In version 3, NCCL says only with a collective what the communicator is.
  void identify(uint64_t id, int rank);

  // The serial number for the handle; 0: not in use.
  uint64_t start(const Collective& collective, uint8_t channels);
  void stop(uint64_t serial);
  void start_kernel(uint64_t serial, uint64_t gpu_nanoseconds);
  void record_kernel(uint64_t serial, uint64_t gpu_nanoseconds);
  void stop_kernel(uint64_t serial);

  // What the writer has to write; valid until the next call. False: nothing.
  bool take(int64_t now, int64_t interval, Taken& taken);

 private:
  enum class State : uint8_t { free, used, finished };

  struct Running {
    Collective collective;
    uint64_t serial;  // 0: nothing
    uint64_t gpu_begin, gpu_end;
    int64_t kernel_begin, kernel_end, host_end;  // microseconds; 0: not yet
    uint8_t channels, started, stopped;
    bool told;  // as waiting
  };

  Running* find(uint64_t serial);
  void end(Running& running);
  void settle(int64_t now, int64_t interval, Taken& taken);
  void tell(Running* running, Taken& taken);
  void adapt();

  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  State state_ = State::free;
  Identity identity_;
  Running* running_ = nullptr;
  Ended* ended_[2] = {nullptr, nullptr};
  int filling_ = 0;  // of these
  size_t count_ = 0;
  uint64_t next_serial_ = 1, oldest_serial_ = 1;
  uint64_t seen_ = 0, stride_ = 1;
};

}  // namespace slipway::nccl_profiler
