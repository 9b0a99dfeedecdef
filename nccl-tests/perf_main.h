// The main part of every *_perf program.
#pragma once

#include "nccl-tests/collective.h"

namespace slipway::bandwidth {

// Runs `collective` over MPI as the command line says. Returns the exit status: 0 pass or not
// judged, 1 fail, 2 usage, 3 could not run.
int perf_main(const Collective& collective, int argc, char** argv);

}  // namespace slipway::bandwidth
