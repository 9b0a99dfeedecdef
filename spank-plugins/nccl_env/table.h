// The table of `--nccl-env=show`.
#pragma once

#include <string>

#include "spank-plugins/nccl_env/resolve.h"
#include "spank-plugins/spank/printable.h"

namespace slipway::nccl_env {

// A headline with the node, its machine type and transport, then one line per variable: its value,
// origin and reason. Ends with a line feed.
std::string table(const NodeProfile& profile, const Resolution& resolution);

// The same for tasks without GPUs.
std::string table_without_gpus(const NodeProfile& profile);

// The same for values that differ from the recommended ones, for `--nccl-env=warn`; empty if none
// do.
std::string table_of_differences(const NodeProfile& profile, const Resolution& resolution);

using spank::printable;

}  // namespace slipway::nccl_env
