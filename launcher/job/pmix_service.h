// The PMIx server of a node: by it the ranks of an MPI program meet. It is a process of its own,
// for libpmix has threads, which an agent has not, and what ends it is not to end the agent.
#pragma once

#include <filesystem>
#include <string>

namespace slipway::job {

// In a child of the agent's, with nothing else open than its end of `socket`. Keeps its files in
// `folder`, and removes it at the end. `node` is our own, as Slurm names it. Hears ToPmixServer and
// says FromPmixServer (protocol.h): to a PmixWorld, PmixReady, or PmixNone and it ends.
//
// Ends when the agent closes its end.
[[noreturn]] void be_pmix_server(int socket, const std::filesystem::path& folder,
                                 const std::string& node);

}  // namespace slipway::job
