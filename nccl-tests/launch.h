// How this process was started: its rank, the number of ranks, and the address of rank 0.
//
// They come from Slurm's environment variables of a step (no PMI needed), from mpirun's, or, with
// any other launcher, from SLIPWAY_RANK, SLIPWAY_SIZE and SLIPWAY_RENDEZVOUS=HOST:PORT.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::bandwidth {

struct Launch {
  int rank = 0;
  int size = 1;
  std::string host;        // of rank 0
  std::vector<int> ports;  // where rank 0 may listen; it takes the first free one
  uint64_t token = 0;      // the same on all ranks of a run, most likely different in another run
};

// Throws Error if the environment contradicts itself, or if Slurm has several tasks but this
// process is not part of a step: every rank would measure itself alone, and the table would look
// plausible.
Launch read_launch();

// The first host of a Slurm host list: "a-003b" for "a-[003-7,9]b,c".
std::string first_host(std::string_view host_list);

}  // namespace slipway::bandwidth
