// Which host each task of a Slurm step runs on, as Slurm's variables tell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slipway::bandwidth {

// SLURM_STEP_TASKS_PER_NODE: "8(x2),4" is 8, 8, 4. Empty if it is something else, or has more than
// `most` nodes.
std::vector<int> tasks_per_node(std::string_view text, size_t most);

// The host of each task, in the order that `distribution` (srun's --distribution; empty: block)
// puts them. Empty if that order is not known, or hosts and counts do not match.
std::vector<std::string> hosts_of_tasks(const std::vector<std::string>& hosts,
                                        const std::vector<int>& tasks,
                                        std::string_view distribution);

// The host of each of the `tasks` tasks of this step. Empty if the variables do not tell.
std::vector<std::string> hosts_of_step(int tasks);

}  // namespace slipway::bandwidth
