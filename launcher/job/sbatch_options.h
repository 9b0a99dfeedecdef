// What a job has asked of sbatch, read from its script as sbatch reads it: Slurm itself says some
// of it only of a job that waits, and some never.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace slipway::job {

struct SbatchOptions {
  size_t least_nodes = 0;  // 5 of `--nodes=5-8`; 0: not said
  bool no_kill = false;
};

// The words of all #SBATCH lines: those before the first command, with sbatch's quotes, escapes and
// comments, of a heterogeneous job its first component. A quote that is never closed ends its line:
// sbatch takes no such script.
std::vector<std::string> words_of_script(const std::string& script);

// Takes over what is said by the words of a command line without the program's name, up to the
// script or another word that is no option. What sbatch would refuse says nothing.
void read_options(const std::vector<std::string>& words, SbatchOptions& options);

// Of a job with this script. `submit_line`, sbatch's command line as newer Slurm keeps it ("sbatch
// --nodes=5 train.sbatch"), wins; it may be empty. Slurm keeps no quotes there.
SbatchOptions sbatch_options(const std::string& script, const std::string& submit_line);

}  // namespace slipway::job
