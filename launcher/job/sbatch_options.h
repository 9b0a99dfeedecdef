// Reads what a job requested from sbatch, from its script and the way sbatch reads it: Slurm
// reports some of it only for pending jobs, and some never.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace slipway::job {

struct SbatchOptions {
  size_t least_nodes = 0;  // the 5 in `--nodes=5-8`; 0: not given
  bool no_kill = false;
};

// Reads options from the words of a command line without the program's name, up to the script or
// another word that is not an option. Ignores options that sbatch would reject.
void read_options(const std::vector<std::string>& words, SbatchOptions& options);

// The options of a job with this script; of a heterogeneous job, those of its first component.
// `submit_line` is sbatch's command line, which newer Slurm records without quotes ("sbatch
// --nodes=5 train.sbatch"). It wins, and may be empty.
SbatchOptions sbatch_options(const std::string& script, const std::string& submit_line);

}  // namespace slipway::job
