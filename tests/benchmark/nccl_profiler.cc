// What the profiler plugin costs: nccl_profiler, with NCCL_PROFILER_PLUGIN in the environment.
//
// Nanoseconds of a processor for a collective with 8 channels (26 calls of NCCL), on one thread and
// on four that have a communicator each, while the plugin writes once a second. The median of runs
// that alternate.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "tests/fakes/nccl/profiler.h"
#include "tests/unit/temporary_directory.h"

namespace {

constexpr int runs = 15, collectives = 20000, threads = 4;
constexpr int channels = 8, calls = 2 + 3 * channels;

// One thread's part.
void run(fake::ProfilerPlugin& plugin, uint64_t id) {
  const fake::ProfiledCommunicator communicator = {id, 1, 2, 0};
  void* const context = plugin.init(communicator, fake::profiler_log);
  for (uint64_t i = 0; i < collectives; ++i) {
    void* const handle =
        plugin.start(context, communicator, {"AllReduce", i, 1024, "ncclFloat32", 0, channels});
    void* kernels[channels];
    for (int channel = 0; channel < channels; ++channel)
      kernels[channel] = plugin.start_kernel(context, handle, channel, i * 1000 + 1);
    plugin.stop(handle);
    for (void* const kernel : kernels) plugin.stop_kernel(kernel, i * 1000 + 500);
  }
  plugin.finalize(context);
}

double nanoseconds(int count) {
  const auto plugin = fake::ProfilerPlugin::load(22809, 0);
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> all;
  for (int i = 0; i < count; ++i) all.emplace_back([&, i] { run(*plugin, unsigned(i)); });
  for (std::thread& thread : all) thread.join();
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
  return time.count() / collectives;
}

}  // namespace

int main() {
  const TemporaryDirectory folder;
  ::setenv("NCCL_INSPECTOR_DUMP_DIR", folder.path().c_str(), 1);
  std::vector<double> one, four;
  for (int i = 0; i < runs; ++i) {
    one.push_back(nanoseconds(1));
    four.push_back(nanoseconds(threads));
  }
  for (auto* const all : {&one, &four}) std::sort(all->begin(), all->end());
  const double median = one[runs / 2];
  std::printf(
      "a collective with %d channels: %.0f ns, %.0f ns a call (%.0f to %.0f ns a collective)\n",
      channels, median, median / calls, one.front(), one.back());
  std::printf("%d threads, each with a communicator: %.0f ns, %.2f times as long\n", threads,
              four[runs / 2], four[runs / 2] / median);
}
