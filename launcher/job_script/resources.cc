// The numbers in the options of jobs and steps, in Slurm's notation.
#include "launcher/job_script/resources.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/slurm_duration.h"
#include "common/text.h"

namespace slipway::job_script {
namespace {

using source::Code;

constexpr int64_t most_of_anything = 1'000'000'000;

// A whole number with one of Slurm's units at its end.
std::optional<int64_t> scaled(std::string_view text, int64_t thousand) {
  if (text.empty()) return std::nullopt;
  int64_t unit = 1;
  const char last = text.back();
  if (last == 'k' || last == 'K') unit = thousand;
  if (last == 'm' || last == 'M') unit = thousand * thousand;
  if (unit > 1) text.remove_suffix(1);
  const auto number = to_number<int64_t>(text);
  if (!number || *number < 0 || *number > most_of_anything / unit) return std::nullopt;
  return *number * unit;
}

template <class T>
void take(Asked<T>& to, const ScriptOption& option, const std::optional<T>& value,
          source::Diagnostics& diagnostics) {
  if (!option.value.is_known()) return;
  if (!value) {
    diagnostics.error(Code::bad_job_script, option.place,
                      fmt::format("`{}` is not a value of `--{}`", option.value.text, option.name));
    return;
  }
  to = {*value, option.place};
}

std::optional<int64_t> above_zero(std::optional<int64_t> number) {
  return number && *number > 0 ? number : std::nullopt;
}

}  // namespace

std::optional<NodeCount> node_count(std::string_view text) {
  const size_t dash = std::min(text.find('-'), text.size());
  const auto least = scaled(text.substr(0, dash), 1024);
  const auto most = dash == text.size() ? least : scaled(text.substr(dash + 1), 1024);
  if (!least || !most || *least < 1 || *most < *least) return std::nullopt;
  return NodeCount{*least, *most};
}

std::optional<int64_t> mebibytes(std::string_view text) {
  if (text.empty()) return std::nullopt;
  constexpr std::string_view units = "KMGT";
  std::string upper(text);
  if (upper.ends_with('B') || upper.ends_with('b')) upper.pop_back();
  size_t unit = 1;
  if (!upper.empty()) {
    const char last = static_cast<char>(std::toupper(static_cast<unsigned char>(upper.back())));
    if (const size_t found = units.find(last); found != units.npos) {
      unit = found;
      upper.pop_back();
    }
  }
  const auto number = to_number<int64_t>(upper);
  if (!number || *number < 0 || *number > most_of_anything) return std::nullopt;
  if (unit == 0) return *number / 1024;
  return *number << (10 * (unit - 1));
}

std::optional<int64_t> gpu_count(std::string_view text, bool is_gres) {
  for (const std::string& entry : split(text, ',')) {
    std::vector<std::string> parts = split(entry, ':');
    if (is_gres) {
      if (parts.empty() || (parts[0] != "gpu" && parts[0] != "gres/gpu")) continue;
      parts.erase(parts.begin());
      if (parts.empty()) return 1;
    }
    if (parts.empty()) return std::nullopt;
    const auto number = to_number<int64_t>(parts.back());
    if (number && *number >= 0 && *number <= most_of_anything) return number;
    if (is_gres && parts.size() == 1) return 1;  // gpu:h100
    return std::nullopt;
  }
  return is_gres ? std::optional<int64_t>(0) : std::nullopt;
}

Resources read_resources(const std::vector<ScriptOption>& options,
                         source::Diagnostics& diagnostics) {
  Resources all;
  Asked<int64_t> gpus, gpus_per_task;
  for (const ScriptOption& option : options) {
    const std::string& text = option.value.text;
    const auto number = [&] { return above_zero(to_number<int64_t>(text)); };
    if (option.name == "nodes") take(all.nodes, option, node_count(text), diagnostics);
    if (option.name == "ntasks") take(all.tasks, option, number(), diagnostics);
    if (option.name == "ntasks-per-node") take(all.tasks_per_node, option, number(), diagnostics);
    if (option.name == "cpus-per-task") take(all.cpus_per_task, option, number(), diagnostics);
    if (option.name == "time") take(all.time_seconds, option, slurm_duration(text), diagnostics);
    if (option.name == "mem") take(all.memory_mib, option, mebibytes(text), diagnostics);
    if (option.name == "gpus-per-node") {
      take(all.gpus_per_node, option, gpu_count(text, false), diagnostics);
    }
    if (option.name == "gpus") take(gpus, option, gpu_count(text, false), diagnostics);
    if (option.name == "gpus-per-task") {
      take(gpus_per_task, option, gpu_count(text, false), diagnostics);
    }
    if (option.name == "gres") {
      const auto count = gpu_count(text, true);
      if (!count || *count > 0) take(all.gpus_per_node, option, count, diagnostics);
    }
  }
  const int64_t nodes = all.nodes ? all.nodes.value.least : 1;
  if (!all.gpus_per_node && gpus && gpus.value % nodes == 0) {
    all.gpus_per_node = {gpus.value / nodes, gpus.place};
  }
  if (!all.gpus_per_node && gpus_per_task) {
    const int64_t tasks = all.tasks_per_node ? all.tasks_per_node.value
                          : all.tasks        ? std::max<int64_t>(1, all.tasks.value / nodes)
                                             : 1;
    all.gpus_per_node = {gpus_per_task.value * tasks, gpus_per_task.place};
  }
  return all;
}

}  // namespace slipway::job_script
