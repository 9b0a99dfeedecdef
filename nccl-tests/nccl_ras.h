// NCCL's RAS service (reliability, availability, serviceability), which knows the rank of a
// communicator that lags.
#pragma once

#include <string>

namespace slipway::bandwidth {

// RAS's status of this host's communicators, each line prefixed by "  ras: ", or one such line that
// says why there is no answer. It listens wherever NCCL 2.24 or newer runs, on localhost port
// 28028.
std::string ras_report(const std::string& host = "127.0.0.1", int port = 28028);

}  // namespace slipway::bandwidth
