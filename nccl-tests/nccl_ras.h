// NCCL's own service for reliability, availability and serviceability: it knows which rank of a
// communicator is behind.
#pragma once

#include <string>

namespace slipway::bandwidth {

// What it says of this host's communicators, each line behind "  ras: "; or, in one such line, that
// nobody answers. It listens where NCCL runs, since NCCL 2.24, on localhost port 28028.
std::string what_ras_says(const std::string& host = "127.0.0.1", int port = 28028);

}  // namespace slipway::bandwidth
