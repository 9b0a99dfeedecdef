// Metrics of a node's GPUs.
#pragma once

#include <filesystem>
#include <string>

#include "launcher/health/gpus.h"
#include "launcher/observe/metric_text.h"

namespace slipway::observe {

// What NVML reads; `gpus.error` is empty.
void add_gpus(MetricSet& set, const std::string& node, const health::Gpus& gpus);

// Which jobs have the GPUs, from the files of gpu_jobs.h.
void add_gpu_jobs(MetricSet& set, const std::string& node, const std::filesystem::path& folder);

}  // namespace slipway::observe
