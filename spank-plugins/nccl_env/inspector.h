// The variables that turn on NCCL's inspector, a profiler plugin that comes with NCCL from 2.27 on
// and records every collective:
// https://github.com/NVIDIA/nccl/tree/master/plugins/profiler/inspector
#pragma once

#include <string>
#include <vector>

#include "spank-plugins/nccl_env/advice.h"

namespace slipway::nccl_env {

// Of sbatch, srun and salloc, as `srun --help` and the reference show it.
inline constexpr const char* watch_option_name = "nccl-watch";
inline constexpr const char* watch_option_help =
    "turn on NCCL's inspector, which records each rank's collectives in NCCL_INSPECTOR_DUMP_DIR "
    "(nccl-inspector-JOB in the working directory if it is missing)";

// One of them: it is set wherever the inspector is on.
inline constexpr const char* inspector_switch = "NCCL_INSPECTOR_ENABLE";

inline std::vector<Advice> inspector_advice() {
  const std::string source = "--nccl-watch";
  return {{"NCCL_PROFILER_PLUGIN", "inspector", source,
           "NCCL's own plugin libnccl-profiler-inspector.so"},
          {inspector_switch, "1", source, "it records collectives"},
          {"NCCL_INSPECTOR_DUMP_THREAD_INTERVAL_MICROSECONDS", "1000000", source,
           "it writes them once a second"}};
}

}  // namespace slipway::nccl_env
