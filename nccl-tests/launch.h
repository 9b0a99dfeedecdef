// How this process was started: its rank, the number of ranks, and the address of rank 0.
//
// They come from the variables of Open MPI's mpirun, from Slurm's of a step (no PMI needed), from
// those of MPICH's mpirun on one host, or, with any other launcher, from SLIPWAY_RANK, SLIPWAY_SIZE
// and SLIPWAY_RENDEZVOUS=HOST[,HOST…]:PORT.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"

namespace slipway::bandwidth {

// The ranks that one started process became (processes.h).
struct Share {
  int number = 0;
  int of = 1;
};

struct Launch {
  int rank = 0;
  int size = 1;
  std::string host;        // of rank 0; several names or addresses are separated by commas
  std::vector<int> ports;  // where rank 0 may listen; it takes the first free one
  uint64_t token = 0;      // the same on all ranks of a run, most likely different in another run
  double start_seconds = 90;  // the ranks must find each other in this time
  Share share = {};           // already counted in `rank` and `size`
  // Of each rank, for messages; only on rank 0, and empty where the launcher does not tell.
  std::vector<std::string> hosts = {};
};

// The environment of this process alone is wrong: no other rank can say so.
class WrongRank : public Error {
 public:
  using Error::Error;
};

// Throws Error if the environment contradicts itself, or if Slurm has several tasks but this
// process is not part of a step: every rank would measure itself alone, and the table would look
// plausible.
Launch read_launch();

// Whether Open MPI's mpirun started ranks on several hosts: they must ask MPI where rank 0 is.
bool mpirun_spans_hosts();

// SLIPWAY_START_TIMEOUT: the seconds that ranks have to find each other, 90 without it. Containers
// that are fetched first may start minutes apart.
inline constexpr const char* start_variable = "SLIPWAY_START_TIMEOUT";

// The share of this process, from the variable share_variable: "3/8".
inline constexpr const char* share_variable = "SLIPWAY_SHARE";
Share read_share();

// The ports that every rank derives from the run's token. Another run may hold some of them.
std::vector<int> ports_from(uint64_t token);

// The first host of a Slurm host list: "a-003b" for "a-[003-7,9]b,c".
std::string first_host(std::string_view host_list);

}  // namespace slipway::bandwidth
