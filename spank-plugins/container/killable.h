// Lets the kernel end what belongs to a job's user when memory runs out.
#pragma once

#include <filesystem>

namespace slipway::container {

// Slurm keeps slurmstepd from the kernel's out-of-memory killer: it sets oom_score_adj to -1000
// (proc(5)), which children inherit, and takes that from tasks again. This takes it from another
// child, before that runs programs as the user. It uses the saved id of root if there is one: root
// also raises the lowest value that the process may set afterward. Throws Error.
void become_killable(const std::filesystem::path& score = "/proc/self/oom_score_adj");

}  // namespace slipway::container
