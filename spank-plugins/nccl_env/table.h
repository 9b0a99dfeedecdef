// The table of `--nccl-env=show`.
#pragma once

#include <string>

#include "spank-plugins/nccl_env/resolve.h"

namespace slipway::nccl_env {

// A headline with the node, its machine type and transport, then a line a variable: its value,
// where that came from and why. Ends in a line feed.
std::string table(const NodeProfile& profile, const Resolution& resolution);

}  // namespace slipway::nccl_env
