// The variables that turn on the recording of collectives: by our profiler plugin, which takes the
// names of those of NVIDIA's inspector, so that it is easily replaced by it.
// https://github.com/NVIDIA/nccl/tree/master/plugins/profiler/inspector
#pragma once

#include <fmt/core.h>

#include <filesystem>
#include <string>
#include <vector>

#include "common/installation.h"
#include "spank-plugins/nccl_env/advice.h"
#include "spank-plugins/nccl_env/marker.h"

namespace slipway::nccl_env {

// Of sbatch, srun and salloc, as `srun --help` and the reference show it.
inline constexpr const char* watch_option_name = "nccl-watch";
inline constexpr const char* watch_option_help =
    "record each rank's collectives, by a profiler plugin of NCCL, in NCCL_INSPECTOR_DUMP_DIR "
    "(nccl-inspector-JOB in the working directory if it is missing)";

// One of them: it is set wherever the recording is on.
inline constexpr const char* inspector_switch = "NCCL_INSPECTOR_ENABLE";

inline constexpr const char* profiler_variable = "NCCL_PROFILER_PLUGIN";

inline std::vector<Advice> inspector_advice() {
  const std::string source = "--nccl-watch";
  return {{profiler_variable, own_installation().nccl_profiler(), source,
           "Slipway's plugin, which NCCL loads"},
          {inspector_switch, "1", source, "it records collectives"},
          {"NCCL_INSPECTOR_DUMP_THREAD_INTERVAL_MICROSECONDS", "1000000", source,
           "it writes them once a second"}};
}

// Whether a value of NCCL_PROFILER_PLUGIN, a name or a path, means a plugin that records them:
// ours, also of another installation, or NVIDIA's inspector.
inline bool records_collectives(const std::filesystem::path& plugin) {
  return plugin == "inspector" || plugin.filename() == "libnccl-profiler-inspector.so" ||
         plugin.filename() == own_installation().nccl_profiler().filename();
}

// What users have set, which stays, and keeps --nccl-watch from recording: "your own
// NCCL_PROFILER_PLUGIN is `mine`". Empty: nothing. `seen`: as the tasks see it.
inline std::string kept_from_recording(const Environment& seen) {
  const auto value = [&](const char* name) {
    const auto found = seen.find(name);
    return found == seen.end() ? std::string() : found->second;
  };
  const auto own = [&](const char* name) {
    return fmt::format("your own {} is `{}`", name, value(name));
  };
  if (!records_collectives(value(profiler_variable))) return own(profiler_variable);
  return value(inspector_switch) == "0" ? own(inspector_switch) : "";
}

}  // namespace slipway::nccl_env
