// Overrides node counts from the command line.
#include "launcher/cluster/resize.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/error.h"
#include "common/text.h"

namespace slipway::cluster {
namespace {

constexpr int64_t most_nodes_here =
    1000;  // more than one machine can run: see docs/background/measurements.md

Nodeset& nodeset_of(Cluster& cluster, const std::string& name) {
  std::vector<std::string> known;
  for (Nodeset& nodeset : cluster.nodesets) {
    if (nodeset.id == name || nodeset.name == name) return nodeset;
    known.push_back(nodeset.id);
  }
  throw UsageError(fmt::format("--nodes: there is no nodeset `{}`; the blueprint has {}", name,
                               known.empty() ? "none" : join(known, ", ")));
}

int64_t size_of(const std::string& text) {
  const int64_t size = to_number<int64_t>(text).value_or(-1);
  if (size < 0 || size > most_nodes_here) {
    throw UsageError(
        fmt::format("--nodes: `{}` is not a number from 0 to {}", text, most_nodes_here));
  }
  return size;
}

}  // namespace

void resize(Cluster& cluster, const std::vector<std::string>& sizes) {
  for (const std::string& size : sizes) {
    const size_t equals = size.find('=');
    if (equals == std::string::npos) {
      throw UsageError(fmt::format("--nodes: `{}` does not have the form NODESET=N", size));
    }
    Nodeset& nodeset = nodeset_of(cluster, size.substr(0, equals));
    if (!nodeset.feature.empty()) {
      throw UsageError(fmt::format(
          "--nodes: nodes of `{}` register themselves and cannot be counted", nodeset.id));
    }
    nodeset.node_count_static = size_of(size.substr(equals + 1));
  }
}

}  // namespace slipway::cluster
