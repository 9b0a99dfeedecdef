// How this process was started: which rank it is, of how many, and where rank 0 is to be met.
//
// From Slurm's environment of a step, no PMI needed; from mpirun's; or from SLIPWAY_RANK,
// SLIPWAY_SIZE and SLIPWAY_RENDEZVOUS=HOST:PORT, for any other launcher.
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
  std::vector<int> ports;  // where rank 0 may listen; it takes the first that is free
  uint64_t token = 0;      // the same on all ranks of one run, and hardly on those of another
};

// Throws Error when the environment contradicts itself, and when Slurm has several tasks here but
// this process is not one of a step: every rank would measure itself alone, and the table would
// look plausible.
Launch read_launch();

// The first host of Slurm's notation: "a-[003-7,9]b,c" is "a-003b".
std::string first_host(std::string_view host_list);

}  // namespace slipway::bandwidth
