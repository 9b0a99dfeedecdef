// What must be so before a launcher starts: of its command and its counts of nodes.
#pragma once

#include <string>

#include "launcher/job/allocation.h"
#include "launcher/job/launch.h"

namespace slipway::job {

// Throws UsageError unless the command's first word is a program here, by its path or in PATH.
void check_command(const std::string& program);

// Throws UsageError when --spares or --min-nodes leave too few nodes of the allocation.
void check_counts(const LaunchOptions& options, const Allocation& allocation);

}  // namespace slipway::job
