// Groups alerts and nodes that are alike, so that the page of a cluster with 1,000 nodes can be
// read.
#pragma once

#include <string>
#include <vector>

#include "launcher/observe/cluster_page.h"

namespace slipway::observe {

struct AlertGroup {
  Alert first;  // the one that fires for longest
  std::vector<std::string> nodes;
  size_t count = 0;
};

// Alerts of one name. Critical ones come first, then those that fire for longest.
std::vector<AlertGroup> grouped(const std::vector<Alert>& alerts);

struct NodeGroup {
  NodeRow row;  // GPUs and power of all, the mean utilization, the highest temperature
  std::vector<std::string> names;
};

// Nodes with the same state and health, if there are more than a screen shows well; those that are
// not fit for jobs come first.
std::vector<NodeGroup> grouped(const std::vector<NodeRow>& nodes);

}  // namespace slipway::observe
