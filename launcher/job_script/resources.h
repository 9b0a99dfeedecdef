// The numbers in the options of jobs and steps, in Slurm's notation.
#pragma once

#include <optional>
#include <string_view>

#include "launcher/job_script/job.h"

namespace slipway::job_script {

// "2", "2-4", "1k"; nothing for another text.
std::optional<NodeCount> node_count(std::string_view text);

// "64G" in MiB; without a unit, it is MiB.
std::optional<int64_t> mebibytes(std::string_view text);

// The 8 of "gpu:h100:8", "h100:8" and "8"; of a list, that of its entry `gpu`. 0: it has none.
std::optional<int64_t> gpu_count(std::string_view text, bool is_gres);

// Reads all of them, and reports values that Slurm refuses (E0601). Values that only the running
// script knows are left out.
Resources read_resources(const std::vector<ScriptOption>& options,
                         source::Diagnostics& diagnostics);

}  // namespace slipway::job_script
