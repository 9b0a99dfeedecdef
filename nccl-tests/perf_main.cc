// The main part of every *_perf program.
#include "nccl-tests/perf_main.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/node_profile.h"
#include "nccl-tests/environment.h"
#include "nccl-tests/memory.h"
#include "nccl-tests/mpi_backend.h"
#include "nccl-tests/run.h"

namespace slipway::bandwidth {
namespace {

bool asks_for_help(const std::vector<std::string>& args) {
  return std::ranges::any_of(args, [](const auto& arg) { return arg == "--help" || arg == "-h"; });
}

void complain(const std::string& program, const std::string& what) {
  fmt::print(stderr, "{}: {}\n", program, what);
}

int usage(const std::string& program, const std::string& what, bool speaks) {
  if (speaks) {
    complain(program, what);
    fmt::print(stderr, "Try `{} --help`.\n", program);
  }
  return exit_usage;
}

int run_on_mpi(const std::string& program, const Collective& collective, const Options& options) {
  const std::unique_ptr<Backend> backend = make_mpi_backend();
  try {
    const Machine machine{node_profile_path, available_memory_bytes()};
    return run(*backend, collective, options, machine, std::cout);
  } catch (const AgreedError& error) {
    if (error.speaks) complain(program, error.what());
    return exit_could_not_run;
  } catch (const std::exception& error) {
    complain(program, fmt::format("rank {}: {}", backend->rank(), error.what()));
    abort_mpi(exit_could_not_run);
  }
}

}  // namespace

int perf_main(const Collective& collective, int argc, char** argv) {
  const std::string program = fmt::format("{}_perf", collective.name());
  const std::vector<std::string> args(argv + 1, argv + argc);
  const bool speaks = launcher_rank() == 0;
  if (!speaks && asks_for_help(args)) return exit_pass;

  std::optional<Options> options;
  try {
    options = parse_options(program, args);
  } catch (const UsageError& error) {
    if (!was_launched()) return usage(program, error.what(), speaks);
    // mpirun kills the other ranks when one exits with an error before it has joined MPI, maybe
    // before rank 0 has spoken: so all join, and leave together.
    const std::unique_ptr<Backend> backend = make_mpi_backend();
    const int status = usage(program, error.what(), backend->rank() == 0);
    backend->barrier();
    return status;
  }
  if (!options) return exit_pass;
  try {
    refuse_lonely_task();
    return run_on_mpi(program, collective, *options);
  } catch (const Error& error) {
    if (speaks) complain(program, error.what());
    return exit_could_not_run;
  }
}

}  // namespace slipway::bandwidth
