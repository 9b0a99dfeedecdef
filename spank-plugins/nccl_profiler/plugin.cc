// libnccl-profiler-slipway.so: NCCL (2.26 and newer) calls it at the begin and the end of each
// collective, and it records them for `--nccl-watch`. The interface is in interface.h; versions
// differ in how they say what a communicator is.
#include <string.h>

#include "spank-plugins/nccl_profiler/interface.h"
#include "spank-plugins/nccl_profiler/line.h"
#include "spank-plugins/nccl_profiler/recorder.h"
#include "spank-plugins/nccl_profiler/system.h"

namespace {

using namespace slipway::nccl_profiler;

constexpr const char* plugin_name = "slipway";

void init_any(void** context, int* mask, const Identity& identity, Log log) {
  *context = begin(identity, log);
  // The mask is of all communicators.
  *mask = is_on() ? events : 0;
}

// Letters and digits, so that JSON needs no escapes.
void copy_function(char (&to)[16], const char* from) {
  size_t size = 0;
  for (; from != nullptr && *from != '\0' && size + 1 < sizeof to; ++from) {
    const char c = *from;
    if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')) to[size++] = c;
  }
  to[size] = '\0';
}

void* start_collective(void* context, const CollectiveDescriptor& descriptor) {
  auto* const communicator = static_cast<Communicator*>(context);
  Collective collective;
  copy_function(collective.function, descriptor.function);
  collective.sequence = descriptor.sequence;
  collective.bytes = bytes_of(descriptor.datatype) * descriptor.count;
  collective.entered = microseconds_now();
  const uint64_t serial = communicator->start(collective, descriptor.channels);
  return serial == 0 ? nullptr : Handle(index_of(communicator), serial, false).pointer();
}

void* start_kernel(const void* parent, uint64_t gpu_nanoseconds) {
  const Handle collective(parent);
  if (collective.empty() || collective.kernel()) return nullptr;
  communicator_at(collective.communicator()).start_kernel(collective.serial(), gpu_nanoseconds);
  return Handle(collective.communicator(), collective.serial(), true).pointer();
}

// Versions 4 and 5.
template <class Descriptor>
int start_event(void* context, void** handle, void* described) {
  const auto* const descriptor = static_cast<const Descriptor*>(described);
  if (handle == nullptr) return success;
  *handle = nullptr;
  if (context == nullptr || descriptor == nullptr || !is_on()) return success;
  if (descriptor->type == event_collective)
    *handle = start_collective(context, descriptor->collective);
  if (descriptor->type == event_kernel_channel)
    *handle = start_kernel(descriptor->parent, descriptor->kernel_channel.gpu_nanoseconds);
  return success;
}

int start_v3(void* context, void** handle, void* described) {
  const auto* const descriptor = static_cast<const DescriptorV3*>(described);
  if (handle == nullptr) return success;
  *handle = nullptr;
  if (context == nullptr || descriptor == nullptr || !is_on()) return success;
  if (descriptor->type == event_collective) {
    static_cast<Communicator*>(context)->identify(descriptor->named.communicator, descriptor->rank);
    *handle = start_collective(context, descriptor->named.collective);
  }
  if (descriptor->type == event_kernel_channel) *handle = start_kernel(descriptor->parent, 0);
  return success;
}

int stop_event(void* pointer) {
  const Handle handle(pointer);
  if (handle.empty() || !is_on()) return success;
  Communicator& communicator = communicator_at(handle.communicator());
  if (handle.kernel()) {
    communicator.stop_kernel(handle.serial());
  } else {
    communicator.stop(handle.serial());
  }
  return success;
}

int record_state(void* pointer, int state, void* arguments) {
  const Handle handle(pointer);
  if (handle.empty() || !handle.kernel() || state != state_kernel_channel_stop ||
      arguments == nullptr || !is_on())
    return success;
  communicator_at(handle.communicator())
      .record_kernel(handle.serial(),
                     static_cast<const KernelChannelState*>(arguments)->gpu_nanoseconds);
  return success;
}

int record_nothing(void*, int, void*) {
  return success;
}

int finalize(void* context) {
  finish(static_cast<Communicator*>(context));
  return success;
}

int init_v5(void** context, uint64_t id, int* mask, const char*, int nodes, int ranks, int rank,
            Log log) {
  init_any(context, mask, {id, rank, ranks, nodes}, log);
  return success;
}

int init_v4(void** context, int* mask, const char*, uint64_t id, int nodes, int ranks, int rank,
            Log log) {
  init_any(context, mask, {id, rank, ranks, nodes}, log);
  return success;
}

int init_v3(void** context, int* mask) {
  init_any(context, mask, {}, nullptr);
  return success;
}

}  // namespace

#define SLIPWAY_EXPORT __attribute__((visibility("default")))

extern "C" {

SLIPWAY_EXPORT extern const ProfilerV5 ncclProfiler_v5;
const ProfilerV5 ncclProfiler_v5 = {plugin_name, init_v5,      start_event<DescriptorV5>,
                                    stop_event,  record_state, finalize};

SLIPWAY_EXPORT extern const ProfilerV4 ncclProfiler_v4;
const ProfilerV4 ncclProfiler_v4 = {plugin_name, init_v4,      start_event<DescriptorV4>,
                                    stop_event,  record_state, finalize};

SLIPWAY_EXPORT extern const ProfilerV3 ncclProfiler_v3;
const ProfilerV3 ncclProfiler_v3 = {plugin_name, init_v3,        start_v3,
                                    stop_event,  record_nothing, finalize};

}  // extern "C"
