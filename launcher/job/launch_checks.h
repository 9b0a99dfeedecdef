// Checks the launcher's command and node counts before it starts.
#pragma once

#include <string>

#include "launcher/job/allocation.h"
#include "launcher/job/launch.h"

namespace slipway::job {

// Throws UsageError unless `program`, a path or a name in PATH, is a program on this node.
void check_command(const std::string& program);

// Throws UsageError if --spares or --min-nodes leave too few of the allocation's nodes.
void check_counts(const LaunchOptions& options, const Allocation& allocation);

}  // namespace slipway::job
