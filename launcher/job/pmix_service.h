// The PMIx server of a node, through which the ranks of an MPI program find each other. It is a
// separate process because libpmix has threads, while an agent has none, and because its crash must
// not end the agent.
#pragma once

#include <filesystem>
#include <string>

namespace slipway::job {

// Runs in a child of the agent that has nothing open but its end of `socket`. Keeps its files in
// `folder`, and removes that folder at the end. `node` is this node's name in Slurm. Reads
// ToPmixServer and writes FromPmixServer (protocol.h): it answers a PmixWorld with PmixReady, or
// with PmixNone and ends.
//
// Ends when the agent closes its end.
[[noreturn]] void run_pmix_server(int socket, const std::filesystem::path& folder,
                                  const std::string& node);

}  // namespace slipway::job
