// The burn of a scan's nodes: who burns which GPUs, and what it found.
#include "nccl-tests/scan_burn.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/core.h>

#include "common/error.h"
#include "common/text.h"

namespace slipway::bandwidth {
namespace {

constexpr std::string_view burn_word = "burn=";

}  // namespace

std::string to_task(const BurnTask& task) {
  return fmt::format("{}{};{}", burn_word, task.seconds, join(task.buses, ","));
}

std::optional<BurnTask> parse_burn_task(const std::string& task) {
  if (!task.starts_with(burn_word)) return std::nullopt;
  const std::vector<std::string> parts = split(task.substr(burn_word.size()), ';');
  const auto seconds = parts.size() == 2 ? to_number<double>(parts[0]) : std::nullopt;
  if (!seconds || !(*seconds >= 0)) throw Error(fmt::format("`{}` is not a burn", task));
  BurnTask made{.seconds = *seconds, .buses = {}};
  for (const std::string& bus : split(parts[1], ',')) {
    if (!bus.empty()) made.buses.push_back(bus);
  }
  return made;
}

std::vector<std::vector<std::string>> share_gpus(
    const std::vector<std::vector<std::string>>& seen) {
  std::set<std::string> taken;
  std::vector<std::vector<std::string>> shares(seen.size());
  for (size_t rank = 0; rank < seen.size(); ++rank) {
    for (const std::string& bus : seen[rank]) {
      if (taken.insert(bus).second) shares[rank].push_back(bus);
    }
  }
  return shares;
}

void add_burn(const ScanBurn& burn, const std::vector<ScanNode>& nodes, double detect,
              std::vector<Finding>& found) {
  std::map<int, std::vector<std::string>> of_node;
  for (const BurnFinding& one : judge_burn(burn.nodes, detect))
    of_node[one.node].push_back(one.text);
  for (const auto& [node, texts] : of_node) {
    const auto known = std::ranges::find_if(found, [&, node = node](const Finding& one) {
      return one.what == Finding::What::node && one.nodes.front() == node;
    });
    const std::string text = join(texts, "; ");
    if (known != found.end()) {
      known->text += "; " + text;
      known->reason += "; " + texts.front();
      continue;
    }
    found.push_back({.what = Finding::What::node,
                     .nodes = {node},
                     .text = fmt::format("{}: {}", nodes[static_cast<size_t>(node)].name, text),
                     .reason = texts.front()});
  }
}

std::string burn_text(const ScanBurn& burn, const std::vector<ScanNode>& nodes) {
  std::string text =
      fmt::format("GPU burn: {} computed for {:g} s\n", burned_text(burn.nodes), burn.seconds);
  for (const NodeBurn& node : burn.nodes) {
    if (!node.missing.empty() && !node.has_failed)
      text += fmt::format("  {}: not asked: GPUs ({})\n",
                          nodes[static_cast<size_t>(node.node)].name, node.missing);
  }
  return text;
}

}  // namespace slipway::bandwidth
