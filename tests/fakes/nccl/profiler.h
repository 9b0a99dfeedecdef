// Loads a profiler plugin and calls it as NCCL does: the stand-in for each of its communicators,
// and tests of a plugin.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "tests/fakes/nccl/profiler_interface.h"

namespace fake {

struct ProfiledCollective {
  const char* function = "AllReduce";
  uint64_t sequence = 0;
  size_t count = 0;
  const char* datatype = "ncclFloat32";
  int root = 0;
  uint8_t channels = 1;
};

struct ProfiledCommunicator {
  uint64_t id = 0;
  int nodes = 1, ranks = 1, rank = 0;
};

// A plugin, as long as a communicator uses it: the last one unloads it.
class ProfilerPlugin {
 public:
  // Of NCCL_PROFILER_PLUGIN; nullptr if there is none, or none that `version`, such as 22809,
  // takes. NCCL's log says why.
  static std::shared_ptr<ProfilerPlugin> load(int version, int device);
  ~ProfilerPlugin();
  ProfilerPlugin(const ProfilerPlugin&) = delete;
  ProfilerPlugin& operator=(const ProfilerPlugin&) = delete;

  int interface() const { return interface_; }  // 3, 4 or 5
  int mask() const { return mask_; }            // what the last init asked for

  void* init(const ProfiledCommunicator& communicator, profiler::Logger log);
  void* start(void* context, const ProfiledCommunicator& communicator,
              const ProfiledCollective& collective);
  void* start_kernel(void* context, void* parent, int channel, uint64_t gpu_nanoseconds);
  void stop_kernel(void* handle, uint64_t gpu_nanoseconds);
  void stop(void* handle);
  void finalize(void* context);

 private:
  ProfilerPlugin(void* library, const void* table, int interface)
      : library_(library), table_(table), interface_(interface) {}

  // Calls `made` with the table of the interface.
  template <class Call>
  auto with(const Call& call) const;

  void* library_;
  const void* table_;
  int interface_;
  std::atomic<int> mask_{0};
};

// NCCL's log, for the plugin.
void profiler_log(int level, unsigned long flags, const char* file, int line, const char* format,
                  ...);

// A communicator of the stand-in that a plugin watches.
class Profiled {
 public:
  // nullptr without a plugin.
  static std::shared_ptr<Profiled> begin(int version, int device,
                                         const ProfiledCommunicator& communicator);
  ~Profiled();
  Profiled(const Profiled&) = delete;
  Profiled& operator=(const Profiled&) = delete;

  // By the host: what it returns goes to run(), which is on the thread of a stream.
  void* launched(const char* function, size_t count, int type, int root);
  template <class Work>
  int run(void* collective, const Work& work) {
    const Kernel kernel = begin_kernel(collective);
    const int status = work();
    end_kernel(kernel);
    return status;
  }

 private:
  using Kernel = std::array<void*, 2>;  // the events of its channels

  Profiled(std::shared_ptr<ProfilerPlugin> plugin, const ProfiledCommunicator& communicator);
  Kernel begin_kernel(void* collective);
  void end_kernel(const Kernel& kernel);

  std::shared_ptr<ProfilerPlugin> plugin_;
  ProfiledCommunicator communicator_;
  void* context_;
  std::mutex mutex_;
  std::map<std::string, uint64_t> next_;  // sequence number of a function
};

}  // namespace fake
