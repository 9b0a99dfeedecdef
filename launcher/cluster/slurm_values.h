// What Slurm takes as values of a partition's keys in slurm.conf: it does not start with others.
#pragma once

#include <string>

namespace slipway::cluster {

// What to write instead of `value`, or "": Slurm takes it, or Slipway does not know the key.
std::string partition_value_problem(const std::string& key, const std::string& value);

}  // namespace slipway::cluster
