// Metrics of training jobs under `slipway launch`.
#pragma once

#include <filesystem>
#include <string>

#include "launcher/job/job_state.h"
#include "launcher/observe/metric_text.h"

namespace slipway::observe {

void add_job(MetricSet& set, const std::string& job, const job::JobState& state);

// How many jobs are on the node, and the metrics of those whose launchers run here, from the files
// that root made for them. What is not the state of a job is left out: the files' owners can write
// anything.
void add_jobs(MetricSet& set, const std::string& node, const std::filesystem::path& folder);

// Of a job whose ledger it is. Throws Error.
void add_ledger(MetricSet& set, const std::filesystem::path& file);

}  // namespace slipway::observe
