// The program bandwidth_scan: finds the slow node, link or block of an allocation.
#include <cstdio>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "common/command_line.h"
#include "common/count.h"
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
  double drop_percent = 10, coverage_percent = 0, precision_percent = 2;
  CommandLine line(program, "Find the slow node, link or block of an allocation.");
  line.about(
      "Many pairs of nodes are measured at a time and judged against each other. The commands "
      "that would drain a bad node are printed, not run.");
  line.flag("plan", "print the rounds and their longest time, and measure nothing", &options.plan);
  line.option("backend", "auto|nccl|mpi|tcp|sim",
              "what to measure with: GPUs (nccl), host memory (mpi, tcp) or a simulation",
              &backend);
  line.option("world", "FILE", "the nodes and links of the simulation, as YAML", &world);
  line.option("size,b", "SIZE", "size of a pair's all_gather", &size);
  line.option("iters,n", "N", "iterations in a sample", &options.test.timing.iterations);
  line.option("samples", "N", "samples of a pair, if --precision is 0",
              &options.test.timing.samples);
  line.option("precision", "PERCENT",
              "sample a pair until its median is known this well; 0 takes --samples",
              &precision_percent);
  line.option("budget", "SECONDS", "limit of --precision, for each pair and placement",
              &options.test.timing.budget_seconds);
  line.option("detect", "PERCENT", "what a slow node loses at least: smaller losses are not found",
              &drop_percent);
  line.option("coverage", "PERCENT", "measure at least this share of the pairs inside blocks",
              &coverage_percent);
  line.option("rounds", "N", "the most rounds", &options.settings.most_rounds);
  line.option("seed", "N", "choose another order of pairs", &options.settings.seed);
  line.option("state", "FILE", "keep the results after each round, and resume from them", &state);
  line.option("timeout,T", "SECONDS",
              "give up after this long without progress, and name who hangs",
              &options.timeout_seconds, "wait forever");
  line.example("srun --ntasks-per-node=1 bandwidth_scan --state scan.json",
               "scan the nodes of a job, in host memory");
  line.example("bandwidth_scan --backend sim --world world.yaml --plan",
               "print what would be measured");
  line.exit_status("0", "no node, link or block is slow");
  line.exit_status("1", "a node, link or block is slow");
  line.exit_status("3", "the scan could not run, or its noise was too large to judge");
  line.see_also("all_gather_perf(1)");
  if (!line.parse(args)) return std::nullopt;
  options.backend = parse_backend(backend);
  if ((options.backend == BackendChoice::sim) != !world.empty()) {
    throw UsageError("--backend sim needs --world FILE, and --world FILE needs --backend sim");
  }
  if (!(drop_percent > 0 && drop_percent < 100)) {
    throw UsageError(
        fmt::format("--detect is {}, it must be between 0 and 100 percent", drop_percent));
  }
  if (options.settings.most_rounds < 1 || options.test.timing.iterations < 1 ||
      options.test.timing.samples < 1 || !(options.test.timing.budget_seconds > 0) ||
      !(precision_percent >= 0 && precision_percent < 100) ||
      !(coverage_percent >= 0 && coverage_percent <= 100)) {
    throw UsageError(
        "--rounds, --iters, --samples and --budget must be above 0, --precision and --coverage "
        "from 0 to 100");
  }
  options.world = world;
  options.state = state;
  options.test.bytes = parse_size(size);
  options.test.timing.precision = precision_percent / 100;
  options.settings.detect = drop_percent / 100;
  options.settings.coverage = coverage_percent / 100;
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
  switch (result_of(nodes, results, options.settings)) {
    case ScanResult::found:
      return exit_fail;
    case ScanResult::not_judged:
      return exit_could_not_run;
    default:
      return exit_pass;
  }
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
        fmt::print("round {}: {}\n", number + 1, counted(round.size(), "pair"));
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
