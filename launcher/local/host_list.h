// Names of nodes as Slurm writes lists of them.
#pragma once

#include <string>
#include <vector>

namespace slipway::local {

// {"a-0", "a-2", "a-1", "b"} is "a-[0-2],b": names that differ in their last number stand together.
// The order is that of the names' beginnings, and of numbers as numbers.
std::string host_list(const std::vector<std::string>& names);

}  // namespace slipway::local
