// Which host each task of a Slurm step runs on, as Slurm's variables tell.
#include "nccl-tests/slurm_hosts.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include <fmt/core.h>

#include "common/environment.h"
#include "common/text.h"

namespace slipway::bandwidth {
namespace {

// Slurm itself knows no more nodes.
constexpr size_t most_nodes = 64 << 10;

// "n[1-2]a,b" is "n[1-2]a" and "b"; nothing if the brackets do not match.
std::optional<std::vector<std::string>> outside_brackets(std::string_view list) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : list) {
    depth += (c == '[') - (c == ']');
    if (depth < 0 || depth > 1) return std::nullopt;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  if (depth != 0) return std::nullopt;
  return parts;
}

// The numbers of "003-005,9", as long as they are written. False if it is something else.
bool add_numbers(std::string_view ranges, size_t most, std::vector<std::string>& to) {
  for (const std::string& range : split(std::string(ranges), ',')) {
    const size_t dash = std::min(range.find('-'), range.size());
    const std::string first = range.substr(0, dash);
    const auto begin = to_number<size_t>(first);
    const auto end = dash == range.size() ? begin : to_number<size_t>(range.substr(dash + 1));
    if (!begin || !end || *end < *begin || *end - *begin >= most) return false;
    for (size_t number = *begin; number <= *end; ++number)
      to.push_back(fmt::format("{:0{}}", number, first.size()));
  }
  return to.size() <= most;
}

// The hosts of "r[1-2]n[4,6]".
bool add_hosts(std::string_view part, size_t most, std::vector<std::string>& to) {
  std::vector<std::string> found = {""};
  while (!part.empty()) {
    const size_t open = std::min(part.find('['), part.size());
    for (std::string& host : found) host += part.substr(0, open);
    part.remove_prefix(open);
    if (part.empty()) break;
    const size_t close = part.find(']');
    std::vector<std::string> numbers, longer;
    if (!add_numbers(part.substr(1, close - 1), most, numbers)) return false;
    if (found.size() * numbers.size() > most) return false;
    for (const std::string& host : found) {
      for (const std::string& number : numbers) longer.push_back(host + number);
    }
    found = std::move(longer);
    part.remove_prefix(close + 1);
  }
  to.insert(to.end(), found.begin(), found.end());
  return to.size() <= most;
}

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

}  // namespace

std::vector<std::string> expand_hosts(std::string_view host_list, size_t most) {
  const auto parts = outside_brackets(host_list);
  if (!parts) return {};
  std::vector<std::string> hosts;
  for (const std::string& part : *parts) {
    if (part.empty() || !add_hosts(part, most, hosts)) return {};
  }
  return hosts;
}

std::vector<int> tasks_per_node(std::string_view text, size_t most) {
  std::vector<int> tasks;
  for (const std::string& part : split(std::string(text), ',')) {
    const size_t times_at = part.find("(x");
    const auto count = to_number<int>(part.substr(0, times_at));
    auto times = std::optional<size_t>(1);
    if (times_at != std::string::npos) {
      times = part.ends_with(')')
                  ? to_number<size_t>(part.substr(times_at + 2, part.size() - times_at - 3))
                  : std::nullopt;
    }
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
  return hosts_of_tasks(expand_hosts(environment_variable("SLURM_STEP_NODELIST"), most_nodes),
                        counts, environment_variable("SLURM_DISTRIBUTION"));
}

}  // namespace slipway::bandwidth
