// Checks the launcher's command and options before it starts.
#include "launcher/job/launch_checks.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "common/count.h"
#include "common/error.h"
#include "common/text.h"

namespace slipway::job {
namespace {

bool is_program(const std::filesystem::path& path) {
  std::error_code unreadable;  // as a folder of PATH may be
  return std::filesystem::is_regular_file(path, unreadable) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

void check_command(const std::string& program) {
  if (program.find('/') != program.npos) {
    if (is_program(program)) return;
  } else {
    const char* path = std::getenv("PATH");
    for (const std::string& folder : split(path == nullptr ? "" : path, ':')) {
      if (is_program(std::filesystem::path(folder) / program)) return;
    }
  }
  throw UsageError(fmt::format("program `{}` not found on this node", program));
}

void check_counts(const LaunchOptions& options, const Allocation& allocation) {
  const auto nodes = static_cast<int64_t>(allocation.nodes.size());
  if (options.spares >= nodes) {
    throw UsageError(fmt::format("--spares {} leaves no node to run on: the job has {}",
                                 options.spares, counted(allocation.nodes.size(), "node")));
  }
  if (options.min_nodes > nodes - options.spares) {
    throw UsageError(fmt::format("--min-nodes {} is too high: without the spares, the job has {}",
                                 options.min_nodes,
                                 counted(static_cast<size_t>(nodes - options.spares), "node")));
  }
}

}  // namespace slipway::job
