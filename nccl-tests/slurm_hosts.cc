// Which host each task of a Slurm step runs on, as Slurm's variables tell.
#include "nccl-tests/slurm_hosts.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include <fmt/core.h>

#include "common/environment.h"
#include "common/host_list.h"
#include "common/text.h"

namespace slipway::bandwidth {
namespace {

// Slurm itself knows no more nodes.
constexpr size_t most_nodes = 64 << 10;

// The numbers of the nodes that tasks are on. In turn, a task goes to each node that has room.
std::vector<size_t> nodes_in_turn(std::vector<int> tasks) {
  std::vector<size_t> nodes;
  for (bool any = true; any;) {
    any = false;
    for (size_t node = 0; node < tasks.size(); ++node) {
      if (tasks[node]-- <= 0) continue;
      nodes.push_back(node);
      any = true;
    }
  }
  return nodes;
}

std::vector<size_t> nodes_in_blocks(const std::vector<int>& tasks) {
  std::vector<size_t> nodes;
  for (size_t node = 0; node < tasks.size(); ++node)
    nodes.insert(nodes.end(), static_cast<size_t>(tasks[node]), node);
  return nodes;
}

// How many nodes in a row have it: 2 of "8(x2)", and 1 of "8".
std::optional<size_t> repetitions(const std::string& part) {
  const size_t begin = part.find("(x");
  if (begin == part.npos) return 1;
  if (!part.ends_with(')')) return std::nullopt;
  return to_number<size_t>(part.substr(begin + 2, part.size() - begin - 3));
}

}  // namespace

std::vector<int> tasks_per_node(std::string_view text, size_t most) {
  std::vector<int> tasks;
  for (const std::string& part : split(std::string(text), ',')) {
    const auto count = to_number<int>(part.substr(0, part.find("(x")));
    const auto times = repetitions(part);
    if (!count || *count < 0 || !times || *times > most - std::min(most, tasks.size())) return {};
    tasks.insert(tasks.end(), *times, *count);
  }
  return tasks;
}

std::vector<std::string> hosts_of_tasks(const std::vector<std::string>& hosts,
                                        const std::vector<int>& tasks,
                                        std::string_view distribution) {
  if (hosts.size() != tasks.size()) return {};
  const std::string_view between_nodes = distribution.substr(0, distribution.find_first_of(":,"));
  std::vector<size_t> nodes;
  if (between_nodes.empty() || between_nodes == "*" || between_nodes == "block")
    nodes = nodes_in_blocks(tasks);
  else if (between_nodes == "cyclic")
    nodes = nodes_in_turn(tasks);
  std::vector<std::string> of_tasks;
  for (const size_t node : nodes) of_tasks.push_back(hosts[node]);
  return of_tasks;
}

std::vector<std::string> hosts_of_step(int tasks) {
  const std::vector<int> counts =
      tasks_per_node(environment_variable("SLURM_STEP_TASKS_PER_NODE"), most_nodes);
  if (std::accumulate(counts.begin(), counts.end(), int64_t{0}) != tasks) return {};
  return hosts_of_tasks(expand_host_list(environment_variable("SLURM_STEP_NODELIST"), most_nodes),
                        counts, environment_variable("SLURM_DISTRIBUTION"));
}

}  // namespace slipway::bandwidth
