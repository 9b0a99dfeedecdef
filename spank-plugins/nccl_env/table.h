// The table of `--nccl-env=show`.
#pragma once

#include <string>

#include "spank-plugins/nccl_env/resolve.h"

namespace slipway::nccl_env {

// A headline with the node, its machine type and transport, then a line a variable: its value,
// where that came from and why. Ends in a line feed.
std::string table(const NodeProfile& profile, const Resolution& resolution);

// The same for tasks that have no GPUs.
std::string table_without_gpus(const NodeProfile& profile);

// The same of what the task has otherwise than is advised, for `--nccl-env=warn`: empty when there
// is nothing.
std::string table_of_differences(const NodeProfile& profile, const Resolution& resolution);

// Without control characters, which must not reach a terminal or break a line.
std::string printable(const std::string& text);

}  // namespace slipway::nccl_env
