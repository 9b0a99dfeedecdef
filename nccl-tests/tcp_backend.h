// The backend for host memory over TCP: its own rings and chains, without MPI.
#pragma once

#include <memory>

#include "nccl-tests/backend.h"
#include "nccl-tests/launch.h"

namespace slipway::bandwidth {

// Connects to the other ranks; collective. Throws an Error that names ranks that did not connect.
std::unique_ptr<Backend> make_tcp_backend(const Launch& launch);

}  // namespace slipway::bandwidth
