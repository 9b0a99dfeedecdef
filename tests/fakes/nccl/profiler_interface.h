// NCCL's profiler interface as NCCL's side has it: all members, so that what a plugin declares for
// itself has to agree with this. Versions 3 (NCCL 2.26), 4 (2.27) and 5 (2.28). Source:
// NVIDIA/nccl, ext-profiler/example/nccl/profiler_v3.h to profiler_v5.h.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace fake::profiler {

enum Type : int { coll = 1 << 1, p2p = 1 << 2, kernel_ch = 1 << 6 };
constexpr int kernel_ch_stop = 22;

using Logger = void (*)(int level, unsigned long flags, const char* file, int line,
                        const char* format, ...);

struct V3 {
  struct Coll {
    const char* name;
    uint64_t comm_hash;
    uint64_t seq_number;
    const char* func;
    const void* send_buff;
    void* recv_buff;
    size_t count;
    int root;
    const char* datatype;
    uint8_t n_max_channels;
    uint8_t n_warps;
    const char* algo;
    const char* proto;
  };
  struct KernelCh {
    uint8_t channel_id;
  };
  struct Descriptor {
    uint8_t type;
    void* parent_object;
    int rank;
    union {
      Coll coll;
      KernelCh kernel_ch;
    };
  };
  struct StateArgs {  // a union of others; none is of a kernel's channel
    size_t trans_size;
    int steps;
  };
  const char* name;
  int (*init)(void** context, int* activation_mask);
  int (*start_event)(void* context, void** handle, void* descriptor);
  int (*stop_event)(void* handle);
  int (*record_event_state)(void* handle, int state, void* args);
  int (*finalize)(void* context);
};

struct Coll45 {
  uint64_t seq_number;
  const char* func;
  const void* send_buff;
  void* recv_buff;
  size_t count;
  int root;
  const char* datatype;
  uint8_t n_channels;
  uint8_t n_warps;
  const char* algo;
  const char* proto;
  void* parent_group;  // version 5
};

struct KernelCh45 {
  uint8_t channel_id;
  uint64_t timer;
};

// `Word` and what follows `proto` are what versions 4 and 5 differ in.
template <class Word>
struct Descriptor45 {
  Word type;
  void* parent_object;
  int rank;
  union {
    Coll45 coll;
    KernelCh45 kernel_ch;
  };
};

struct StateArgs45 {  // a union of others, of which this is that of a kernel's channel
  struct KernelChState {
    uint64_t timer;
  } kernel_ch;
};

struct V4 {
  using Descriptor = Descriptor45<uint8_t>;
  using StateArgs = StateArgs45;
  const char* name;
  int (*init)(void** context, int* activation_mask, const char* comm_name, uint64_t comm_hash,
              int nodes, int ranks, int rank, Logger log);
  int (*start_event)(void* context, void** handle, void* descriptor);
  int (*stop_event)(void* handle);
  int (*record_event_state)(void* handle, int state, void* args);
  int (*finalize)(void* context);
};

struct V5 {
  using Descriptor = Descriptor45<uint64_t>;
  using StateArgs = StateArgs45;
  const char* name;
  int (*init)(void** context, uint64_t comm_id, int* activation_mask, const char* comm_name,
              int nodes, int ranks, int rank, Logger log);
  int (*start_event)(void* context, void** handle, void* descriptor);
  int (*stop_event)(void* handle);
  int (*record_event_state)(void* handle, int state, void* args);
  int (*finalize)(void* context);
};

}  // namespace fake::profiler
