// Metrics of the node that this runs on: its health, its services, its GPUs, and the jobs whose
// launchers run here.
#pragma once

#include <filesystem>
#include <string>

#include "common/node_profile.h"
#include "launcher/observe/metric_text.h"

namespace slipway::observe {

// The node's last verdict, schema slipway/health/1. Nothing if there is none.
void add_verdict(MetricSet& set, const std::string& node, const std::filesystem::path& file);

// The text of all of the node's metrics. GPUs are read in a child, which is killed if the driver
// hangs.
std::string node_metrics(const NodeProfile& profile);

}  // namespace slipway::observe
