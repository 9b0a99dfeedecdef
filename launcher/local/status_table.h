// A deployment's nodes and jobs as text, for a terminal or a file.
#pragma once

#include <string>

#include "launcher/local/deployment_view.h"

namespace slipway::local {

// A row for each node; more than eight alike share one, as a host list. Below, the faults and
// reasons of nodes, those of many nodes in one line, too.
std::string node_table(const DeploymentView& view);

// A line for each job, and one for what is more than twenty.
std::string job_list(const DeploymentView& view);

}  // namespace slipway::local
