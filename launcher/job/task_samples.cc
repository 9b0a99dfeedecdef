// What a node's tasks do, from /proc: for every rank, its process and everything that it started.
// One scan serves all ranks of the node.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <tuple>

#include "common/host_name.h"
#include "common/text.h"
#include "launcher/job/node_tasks.h"
#include "launcher/job/processes.h"

namespace slipway::job {
namespace {

// "rchar" and "wchar" of /proc/PID/io, with what the page cache served; 0 if it may not be read.
int64_t transferred_by(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/io", pid));
  std::string name;
  int64_t value = 0, total = 0;
  while (file >> name >> value)
    if (name == "rchar:" || name == "wchar:") total += value;
  return total;
}

std::string kernel_place(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/wchan", pid));
  std::string name;
  file >> name;
  return name == "0" ? "" : name.substr(0, 64);
}

}  // namespace

std::vector<RankSample> NodeTasks::samples() {
  static const auto ticks_a_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  std::vector<RankSample> samples;
  families_.clear();
  const std::vector<Process> all = all_processes();
  for (const Task& task : tasks_) {
    if (task.ended) continue;
    std::vector<Process> family = descendants_in(all, task.pid);
    const auto own = std::ranges::find(all, task.pid, &Process::pid);
    if (own != all.end()) family.push_back(*own);
    if (family.empty()) continue;
    RankSample sample;
    sample.rank = task.rank;
    sample.output_bytes = task.output_bytes;
    for (const Process& process : family) {
      families_[process.pid] = task.rank;
      sample.cpu_seconds += static_cast<double>(process.ticks) / ticks_a_second;
      sample.file_bytes += transferred_by(process.pid);
    }
    // A wrapper waits for the program, which is below it and works.
    const Process& main = *std::ranges::max_element(family, {}, [](const Process& process) {
      return std::tuple(process.state != 'Z', process.ticks, process.pid);
    });
    // Whichever part of a rank is stopped, the rank goes no further.
    const auto stopped = std::ranges::find_if(family, [](const Process& process) {
      return process.state == 'T' || process.state == 't';
    });
    sample.state = stopped == family.end() ? main.state : stopped->state;
    if (main.state == 'S' || main.state == 'D') sample.waits_in = kernel_place(main.pid);
    samples.push_back(std::move(sample));
  }
  return samples;
}

std::vector<RankCollective> NodeTasks::collectives() {
  if (dump_folder_.empty()) return {};
  const bool is_ours = inspector_folder_ && dump_folder_ == inspector_folder_->path();
  return inspector_.read(dump_folder_, families_, is_ours ? "" : own_host_name());
}

}  // namespace slipway::job
