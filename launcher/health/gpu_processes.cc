// Asks the driver and the kernel for the processes on a GPU until their answers agree.
#include "launcher/health/gpu_processes.h"

#include <algorithm>
#include <map>

namespace slipway::health {

std::optional<std::vector<GpuProcess>> processes_of_gpu(const ProcessSources& sources) {
  constexpr int times_of_ended = 3, times_of_living = 2;
  auto listed = sources.on_gpu();
  if (!listed) return std::nullopt;
  std::map<unsigned, std::string> starts;
  for (const unsigned id : *listed) starts[id] = sources.start_of(id);
  for (int time = 1; time < times_of_ended && !starts.empty(); ++time) {
    const bool any_ended =
        std::ranges::any_of(starts, [](const auto& of) { return of.second.empty(); });
    if (any_ended) {
      sources.pause();
    } else if (time >= times_of_living) {
      break;
    }
    listed = sources.on_gpu();
    if (!listed) return std::nullopt;
    std::erase_if(starts, [&](const auto& of) {
      const auto& [id, start] = of;
      return std::ranges::count(*listed, id) == 0 || sources.start_of(id) != start;
    });
  }
  std::vector<GpuProcess> processes;
  for (const auto& [id, start] : starts) processes.push_back({id, start.empty()});
  return processes;
}

}  // namespace slipway::health
