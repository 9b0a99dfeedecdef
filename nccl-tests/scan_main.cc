// The program bandwidth_scan: finds the slow node, link or block of an allocation.
#include <cstdio>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "common/command_line.h"
#include "common/file.h"
#include "nccl-tests/choose_backend.h"
#include "nccl-tests/environment.h"
#include "nccl-tests/heartbeat.h"
#include "nccl-tests/report.h"
#include "nccl-tests/run.h"
#include "nccl-tests/scan.h"

namespace slipway::bandwidth {
namespace {

constexpr const char* program = "bandwidth_scan";

struct ScanOptions {
  BackendChoice backend = BackendChoice::automatic;
  std::filesystem::path world;
  ScanSettings settings;
  PairTest test;
  bool plan = false;
  std::filesystem::path state;
  double timeout_seconds = 0;
};

std::optional<ScanOptions> parse_scan_options(const std::vector<std::string>& args) {
  ScanOptions options;
  options.test.timing.iterations = 5;
  options.test.timing.samples = 6;
  options.test.timing.budget_seconds = 2;
  std::string backend = "auto", world, size = "64M", state;
  double drop_percent = 10, precision_percent = 2;
  CommandLine line(
      program, "[OPTIONS]",
      "Find the slow node, link or block of an allocation: measure pairs of nodes, many "
      "at a time, and compare\nthem with each other. The commands that would drain a "
      "node are printed, not run. The exit status is 0 if\nnothing is slow, 1 if "
      "something is, 2 for a wrong command line, 3 if it could not run.");
  line.flag("plan", "print the rounds and the longest time that they take; measure nothing",
            &options.plan);
  line.option("backend", "NAME", "auto (default), nccl, mpi, tcp, sim", &backend);
  line.option("world", "FILE", "the nodes and links of the backend sim, YAML", &world);
  line.option("size,b", "SIZE", "size of each pair's all_gather (default 64M)", &size);
  line.option("iters,n", "N", "iterations of a sample (default 5)",
              &options.test.timing.iterations);
  line.option("samples", "N", "samples of a pair if --precision is 0 (default 6)",
              &options.test.timing.samples);
  line.option("precision", "PERCENT",
              "sample a pair until its median is known to ± PERCENT (default 2; 0: use --samples)",
              &precision_percent);
  line.option("budget", "SECONDS", "limit --precision for each pair and placement (default 2)",
              &options.test.timing.budget_seconds);
  line.option("least-drop", "PERCENT", "a node is slow from this drop on (default 10)",
              &drop_percent);
  line.option("rounds", "N", "measure at most N rounds (default 4)", &options.settings.most_rounds);
  line.option("seed", "N", "seed of the order in which nodes are paired (default 1)",
              &options.settings.seed);
  line.option("state", "FILE", "save the results after each round, and resume from them", &state);
  line.option("timeout,T", "SECONDS", "give up after SECONDS without progress, and name the rank",
              &options.timeout_seconds);
  line.example("srun --ntasks-per-node=1 bandwidth_scan --state scan.json",
               "the nodes of a job, in host memory");
  line.example("bandwidth_scan --backend sim --world world.yaml --plan", "what would be measured");
  if (!line.parse(args)) return std::nullopt;
  options.backend = parse_backend(backend);
  if ((options.backend == BackendChoice::sim) != !world.empty()) {
    throw UsageError("--backend sim needs --world FILE, and --world FILE needs --backend sim");
  }
  if (!(drop_percent > 0 && drop_percent < 100)) {
    throw UsageError(
        fmt::format("--least-drop is {}, it must be between 0 and 100 percent", drop_percent));
  }
  if (options.settings.most_rounds < 1 || options.test.timing.iterations < 1 ||
      options.test.timing.samples < 1 || !(options.test.timing.budget_seconds > 0) ||
      !(precision_percent >= 0 && precision_percent < 100)) {
    throw UsageError(
        "--rounds, --iters, --samples and --budget must be above 0, --precision from "
        "0 to 100");
  }
  options.world = world;
  options.state = state;
  options.test.bytes = parse_size(size);
  options.test.timing.precision = precision_percent / 100;
  options.settings.least_drop = drop_percent / 100;
  return options;
}

// The results in the state file, for the nodes of this run; none if there is no file.
std::vector<PairResult> known_results(const ScanOptions& options,
                                      const std::vector<ScanNode>& nodes) {
  if (options.state.empty() || !std::filesystem::exists(options.state)) return {};
  return scan_from_json(read_file(options.state), options.state, nodes);
}

int conclude(const ScanOptions& options, const std::vector<ScanNode>& nodes,
             const std::vector<PairResult>& results, bool speaks) {
  if (speaks) fmt::print("{}", findings_text(nodes, results, options.settings));
  return found_something(nodes, results, options.settings) ? exit_fail : exit_pass;
}

void keep_state(const ScanOptions& options, const std::vector<ScanNode>& nodes,
                const std::vector<PairResult>& results) {
  if (options.state.empty()) return;
  write_file(options.state, scan_to_json(nodes, results, options.settings));
}

int scan_sim(const ScanOptions& options) {
  const SimWorld world = load_sim_world(options.world);
  const std::vector<ScanNode> nodes = nodes_of(world);
  if (options.plan) {
    fmt::print("{}", plan_text(nodes, options.settings, options.test));
    return exit_pass;
  }
  const auto results =
      scan(nodes, known_results(options, nodes), options.settings, on_sim(world, options.test),
           [&](const std::vector<PairResult>& so_far) { keep_state(options, nodes, so_far); });
  return conclude(options, nodes, results, true);
}

int scan_together(Backend& backend, const ScanOptions& options) {
  const bool first = backend.rank() == 0;
  const std::vector<ScanNode> nodes = nodes_of(backend);
  if (options.plan) {
    if (first) fmt::print("{}", plan_text(nodes, options.settings, options.test));
    return exit_pass;
  }
  std::optional<Heartbeat> heartbeat;
  try {
    heartbeat.emplace(backend, Heartbeat::Settings{.program = program,
                                                   .timeout_seconds = options.timeout_seconds,
                                                   .status = exit_could_not_run});
    std::vector<PairResult> known;
    on_all_ranks(backend, [&] {
      if (first) known = known_results(options, nodes);
    });
    // Only rank 0 has read the file.
    const std::string text =
        backend.share(first ? scan_to_json(nodes, known, options.settings) : "").front();
    known = scan_from_json(text, options.state, nodes);
    const MeasureRound measure_pairs = on_backend(backend, nodes, options.test);
    const auto measure_round = [&](const Round& round, int number) {
      heartbeat->phase(fmt::format("round {} of pairs", number + 1));
      if (first) {
        fmt::print("round {}: {} pairs\n", number + 1, round.size());
        std::fflush(stdout);
      }
      return measure_pairs(round, number);
    };
    const auto results = scan(nodes, std::move(known), options.settings, measure_round,
                              [&](const std::vector<PairResult>& so_far) {
                                if (first) keep_state(options, nodes, so_far);
                              });
    return conclude(options, nodes, results, first);
  } catch (const AgreedError& error) {
    error.tell(program);
    return exit_could_not_run;
  } catch (const std::exception& error) {
    if (heartbeat) heartbeat->fail(error.what());
    throw;
  }
}

int main_of_scan(const std::vector<std::string>& args) {
  const bool speaks = launcher_rank() == 0;
  try {
    const std::optional<ScanOptions> options = parse_scan_options(args);
    if (!options) return exit_pass;
    if (options->backend == BackendChoice::sim) return scan_sim(*options);
    const auto backend = make_backend(choose(options->backend), {});
    return scan_together(*backend, *options);
  } catch (const UsageError& error) {
    if (speaks) {
      fmt::print(stderr, "{}: {}\nTry `{} --help`.\n", program, error.what(), program);
    }
    return exit_usage;
  } catch (const AgreedError& error) {
    error.tell(program);
    return exit_could_not_run;
  } catch (const std::exception& error) {
    if (speaks) fmt::print(stderr, "{}: {}\n", program, error.what());
    return exit_could_not_run;
  }
}

}  // namespace
}  // namespace slipway::bandwidth

int main(int argc, char** argv) {
  return slipway::bandwidth::main_of_scan({argv + 1, argv + argc});
}
