// Runs a bandwidth test from its options to its verdict, on any backend.
#pragma once

#include <filesystem>
#include <functional>
#include <ostream>

#include "nccl-tests/agreed_error.h"
#include "nccl-tests/backend.h"
#include "nccl-tests/collective.h"
#include "nccl-tests/options.h"

namespace slipway::bandwidth {

inline constexpr int exit_pass = 0;  // or not judged
inline constexpr int exit_fail = 1;  // wrong data, or slower than this machine is known to be
inline constexpr int exit_usage = 2;
inline constexpr int exit_could_not_run = 3;

// Runs `step`, which must not call the backend, on every rank. If it throws on any rank, every rank
// throws an AgreedError, and the lowest rank that failed prints it.
void on_all_ranks(Backend& backend, const std::function<void()>& step);

// What a run needs to know about where it runs.
struct Machine {
  int64_t available_memory_bytes = 0;
  // Called with what this rank is about to do, for messages about ranks that hang.
  std::function<void(const std::string&)> on_phase = [](const std::string&) {};
};

// Measures, and writes the table to `out` (on rank 0 only) and the report. Returns the exit status,
// which is the same on every rank. Throws AgreedError if it could not run.
int run(Backend& backend, const Collective& collective, const Options& options,
        const Machine& machine, std::ostream& out);

}  // namespace slipway::bandwidth
