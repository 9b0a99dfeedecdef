// The PMIx server of a node: by it the ranks of an MPI program meet. It is a process of its own,
// for libpmix has threads, which an agent has not, and what ends it is not to end the agent.
#pragma once

#include <filesystem>
#include <string>

namespace slipway::job {

// In a child of the agent's, with nothing else open than its end of `socket`. Keeps its files in
// `folder`, and removes it at the end. `node` is our own, as Slurm names it. Messages, beside those
// that go on to the servers of other nodes (pmix_exchange.h):
//
//   to it    {"what": "attempt", "name", "nodes": [...], "node": 2, "tasks_per_node": 8}
//   from it  {"what": "ready", "set": [variables of each local rank]}, or {"what": "none", "text"},
//            and it ends
//   from it  {"what": "abort", "rank", "status", "text"}: the rank waits until it is released
//   to it    {"what": "release", "rank"}
//
// Ends when the agent closes its end.
[[noreturn]] void be_pmix_server(int socket, const std::filesystem::path& folder,
                                 const std::string& node);

}  // namespace slipway::job
