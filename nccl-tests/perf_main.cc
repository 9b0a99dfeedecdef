// The *_perf programs: one program, whose name selects the collective.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "common/command_line.h"
#include "common/completion.h"
#include "common/error.h"
#include "common/keep_to_end.h"
#include "common/text.h"
#include "nccl-tests/choose_backend.h"
#include "nccl-tests/environment.h"
#include "nccl-tests/heartbeat.h"
#include "nccl-tests/launch.h"
#include "nccl-tests/memory.h"
#include "nccl-tests/mpi_backend.h"
#include "nccl-tests/processes.h"
#include "nccl-tests/programs.h"
#include "nccl-tests/run.h"

namespace slipway::bandwidth {
namespace {

bool asks_for_help(const std::vector<std::string>& args) {
  return std::ranges::any_of(args, [](const auto& arg) {
    return arg == "--help" || arg == "-h" || arg.starts_with("--help=");
  });
}

void complain(const std::string& program, const std::string& what) {
  fmt::print(stderr, "{}: {}\n", program, what);
}

int usage(const std::string& program, const std::string& what) {
  complain(program, what);
  fmt::print(stderr, "Try `{} --help`.\n", program);
  return exit_usage;
}

// mpirun kills the other ranks when one exits with an error before MPI_Init, perhaps before rank 0
// has printed the message. So all ranks initialize MPI, and exit together.
int usage_of_all(const std::string& program, const std::string& what) {
  if (!has_mpi() || !was_launched_by_mpi()) {
    return launcher_rank() == 0 ? usage(program, what) : exit_usage;
  }
  const std::unique_ptr<Backend> backend = make_backend(BackendChoice::mpi, {});
  if (backend->rank() == 0) usage(program, what);
  backend->barrier();
  return exit_usage;
}

// The connections of the heartbeat end with the process.
void end(Backend& backend, std::unique_ptr<Heartbeat>& heartbeat) {
  if (heartbeat) heartbeat->phase("disconnecting");
  backend.disconnect();
  if (!heartbeat) return;
  heartbeat->phase("waiting for the others to end");
  heartbeat->leave();
  keep_to_end(std::move(heartbeat));
}

int run_together(Backend& backend, const Collective& collective, const Options& options) {
  const std::string program = collective.program();
  const bool alone = backend.info().name == "sim";  // one process is all ranks
  std::unique_ptr<Heartbeat> heartbeat;
  Machine machine;
  try {
    if (!alone) {
      heartbeat = std::make_unique<Heartbeat>(
          backend, Heartbeat::Settings{.program = program,
                                       .timeout_seconds = options.timeout_seconds,
                                       .status = exit_could_not_run,
                                       .on_end = [&] { backend.end_early(); }});
      machine.on_phase = [&](const std::string& phase) { heartbeat->phase(phase); };
    }
    backend.connect(machine.on_phase);
    machine.available_memory_bytes = backend.available_memory_bytes();
    const int status = run(backend, collective, options, machine, std::cout);
    end(backend, heartbeat);
    return status;
  } catch (const AgreedError& error) {
    error.tell(program);
    return exit_could_not_run;
  } catch (const std::exception& error) {
    if (heartbeat) heartbeat->fail(error.what());
    complain(program, error.what());
    return exit_could_not_run;
  }
}

int perf(const Collective& collective, const std::vector<std::string>& args) {
  const std::string program = collective.program();
  if (launcher_rank() != 0 && asks_for_help(args)) return exit_pass;
  std::optional<Options> options;
  try {
    options = parse_options(collective, args);
  } catch (const UsageError& error) {
    return usage_of_all(program, error.what());
  }
  if (!options) return exit_pass;
  const int ranks = options->gpus * options->threads;
  if (ranks > 1 && options->backend == BackendChoice::mpi)
    return usage_of_all(program, "--backend mpi has one rank a process: leave out -g and -t");
  std::unique_ptr<Backend> backend;
  try {
    const BackendChoice choice = choose(options->backend, ranks);
    if (ranks > 1 && choice == BackendChoice::sim)
      return usage(program,
                   "the world of --backend sim says how many ranks there are: leave out -g");
    prepare_to_launch(choice);
    if (ranks > 1) {
      const std::optional<int> status = become_several(ranks, program);
      if (status) return *status;
    }
    backend = make_backend(choice, options->world, options->nccl);
  } catch (const AgreedError& error) {
    error.tell(program);
    return exit_could_not_run;
  } catch (const std::exception& error) {
    const bool speaks = launcher_rank() == 0 || dynamic_cast<const WrongRank*>(&error) != nullptr;
    if (speaks) complain(program, error.what());
    return exit_could_not_run;
  }
  return run_together(*backend, collective, *options);
}

// Without a collective there is only help.
int choose_collective(const std::string& program, const std::string& known,
                      const std::vector<std::string>& words) {
  std::string name;
  CommandLine line(program,
                   "Measure the bandwidth of a collective over all ranks and check its data.");
  line.about(
      "COLLECTIVE is " + known +
      ". all_gather_perf and its sisters are links to this program, with the collective in their "
      "names.");
  line.positional("COLLECTIVE", &name);
  line.example("srun bandwidth_perf all_gather -b 1M -e 1G -f 2", "as all_gather_perf");
  line.example("bandwidth_perf all_reduce --help", "list the options");
  line.exit_status("1", "failed: wrong data, or slower than expected of the machine type");
  line.exit_status("3", "the test could not run");
  line.see_also("all_gather_perf(1)");
  try {
    if (!line.parse(words)) return exit_pass;
  } catch (const UsageError& error) {
    return usage(program,
                 words.empty() ? fmt::format("name a collective: {}", known) : error.what());
  }
  return usage(program, fmt::format("unknown collective `{}`; known: {}", name, known));
}

// `bandwidth_perf __complete WORD... CURRENT`: the collectives, then the options of one.
int complete_collective(std::vector<std::string> words) {
  const Collective* chosen = words.size() > 2 ? find_collective(words[1]) : nullptr;
  if (chosen != nullptr) {
    words.erase(words.begin() + 1);
    return perf(*chosen, words);
  }
  std::vector<Candidate> found;
  for (const Collective& one : all_collectives()) found.push_back({std::string(one.name)});
  if (words.size() == 2) print_candidates(found, words.back());
  return exit_pass;
}

}  // namespace

// The collective is in the program's name (all_gather_perf) or the first argument (bandwidth_perf
// all_gather).
int perf_main(std::vector<std::string> words) {
  const std::string name = std::filesystem::path(words.front()).filename();
  words.erase(words.begin());
  if (const Collective* collective = find_collective(name)) return perf(*collective, words);
  if (!words.empty()) {
    if (words.front() == completion_word) return complete_collective(std::move(words));
    if (const Collective* collective = find_collective(words.front())) {
      words.erase(words.begin());
      return perf(*collective, words);
    }
  }
  std::vector<std::string> known;
  for (const Collective& collective : all_collectives()) known.emplace_back(collective.name);
  return choose_collective(name, join(known, ", "), words);
}

}  // namespace slipway::bandwidth
