// Metrics of bandwidth tests: the last that was recorded for each collective and number of nodes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "launcher/history/run_record.h"
#include "launcher/observe/metric_text.h"

namespace slipway::observe {

// `runs` in the order in which they were started.
void add_bandwidth(MetricSet& set, const std::vector<history::RunRecord>& runs);

// Of a database of `slipway bandwidth record`; empty if there is none.
std::string bandwidth_metrics(const std::filesystem::path& database);

}  // namespace slipway::observe
