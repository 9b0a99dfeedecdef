// The program bandwidth_scan: finds the slow node, link or block of an allocation.
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "common/command_line.h"
#include "common/count.h"
#include "common/error.h"
#include "common/file.h"
#include "common/text.h"
#include "nccl-tests/choose_backend.h"
#include "nccl-tests/environment.h"
#include "nccl-tests/heartbeat.h"
#include "nccl-tests/launch.h"
#include "nccl-tests/programs.h"
#include "nccl-tests/run.h"
#include "nccl-tests/scan.h"
#include "nccl-tests/scan_agents.h"
#include "nccl-tests/scan_floor.h"
#include "nccl-tests/scan_level_tasks.h"
#include "nccl-tests/scan_options.h"
#include "nccl-tests/scan_pair.h"

namespace slipway::bandwidth {
namespace {

std::optional<NodeProfile> profile_of(const ScanOptions& options) {
  if (!std::filesystem::exists(options.node_profile)) return std::nullopt;
  return load_node_profile(options.node_profile);
}

void choose_size(ScanOptions& options, const ScannedPairs& how) {
  if (!options.chooses_size || how.backend.memory == "host") return;
  options.test.bytes = judged_size(how).value_or(options.test.bytes);
}

// The results in the state file, for the nodes of this run; none if there is no file.
std::vector<PairResult> known_results(const ScanOptions& options,
                                      const std::vector<ScanNode>& nodes) {
  if (options.state.empty() || !std::filesystem::exists(options.state)) return {};
  return scan_from_json(read_file(options.state), options.state, nodes);
}

void keep_state(const ScanOptions& options, const std::vector<ScanNode>& nodes,
                const std::vector<PairResult>& results) {
  if (options.state.empty()) return;
  write_file(options.state, scan_to_json(nodes, results, options.settings));
}

// Compares with what the machine type reaches, prints the findings, and returns the exit status.
int conclude(ScanOptions& options, const std::vector<ScanNode>& nodes,
             const std::vector<PairResult>& results, const ScannedPairs& how, bool speaks) {
  const Verdict verdict = judge_pairs(how, results);
  if (verdict.outcome == Outcome::fail)
    options.settings.too_slow = "the median pair: " + verdict.reasons.front();
  if (speaks) {
    keep_state(options, nodes, results);
    fmt::print("{}", findings_text(nodes, results, options.settings));
    if (verdict.outcome != Outcome::fail) {
      fmt::print("the cluster as a whole: {} ({})\n", to_string(verdict.outcome),
                 verdict.reasons.front());
    }
  }
  switch (result_of(nodes, results, options.settings)) {
    case ScanResult::found:
      return exit_fail;
    case ScanResult::not_judged:
      return exit_could_not_run;
    default:
      return exit_pass;
  }
}

void print_round(const Round& round, int number) {
  fmt::print("round {}: {}\n", number + 1, counted(round.size(), "pair"));
  std::fflush(stdout);
}

int scan_sim(ScanOptions options) {
  const SimWorld world = load_sim_world(options.world);
  const std::vector<ScanNode> nodes = nodes_of(world);
  ScannedPairs how{.profile = profile_of(options),
                   .backend = {.name = "sim", .memory = world.memory, .library = ""},
                   .transport = world.transport,
                   .ranks = 2 * world.ranks_per_node};
  choose_size(options, how);
  how.bytes = options.test.bytes;
  if (options.plan) {
    fmt::print("{}", plan_text(nodes, options.settings, options.test));
    return exit_pass;
  }
  const auto results =
      scan(nodes, known_results(options, nodes), options.settings, on_sim(world, options.test),
           [&](const std::vector<PairResult>& so_far) { keep_state(options, nodes, so_far); });
  if (options.explains_nodes)
    options.settings.examined =
        examine_named(nodes, results, options.settings, levels_on_sim(world, options.test));
  return conclude(options, nodes, results, how, true);
}

// Ranks whose pairs are measured in processes of their own. Only rank 0 knows the findings.
int scan_with_agents(ScanOptions options, BackendChoice backend) {
  prepare_to_launch(backend);
  const Launch launch = read_launch();
  refuse_world_of_one(launch.size);
  ScannedPairs how{.profile = profile_of(options),
                   .backend = {.name = backend == BackendChoice::nccl ? "nccl" : "tcp",
                               .memory = backend == BackendChoice::nccl ? "gpu" : "host",
                               .library = ""},
                   .transport = ""};
  choose_size(options, how);
  ScanAgents agents(launch, {.arguments = arguments_of(options, backend),
                             .limit_seconds = options.limit_seconds,
                             .on_gpus = backend == BackendChoice::nccl});
  if (agents.rank() != 0) {
    agents.serve();
    return exit_pass;
  }
  how.ranks = agents.ranks_of_pair();
  how.bytes = options.test.bytes;
  const std::vector<ScanNode>& nodes = agents.nodes();
  if (options.plan) {
    fmt::print("{}", plan_text(nodes, options.settings, options.test));
    agents.end();
    return exit_pass;
  }
  const auto measure_round = [&](const Round& round, int number) {
    print_round(round, number);
    return agents.measure(round, number, options.settings.lost);
  };
  const auto results =
      scan(nodes, known_results(options, nodes), options.settings, measure_round,
           [&](const std::vector<PairResult>& so_far) { keep_state(options, nodes, so_far); });
  if (options.explains_nodes)
    options.settings.examined =
        examine_named(nodes, results, options.settings, [&](int node, int partner) {
          return agents.examine(node, partner, options.settings.lost);
        });
  if (options.burn_seconds > 0)
    options.settings.burned = {.seconds = options.burn_seconds,
                               .nodes = agents.burn(options.burn_seconds, options.settings.lost)};
  agents.end();
  how.transport = agents.transport();
  return conclude(options, nodes, results, how, true);
}

// Ranks of MPI, which cannot leave each other: one that dies ends the scan.
int scan_together(Backend& backend, ScanOptions options) {
  const bool first = backend.rank() == 0;
  const std::vector<ScanNode> nodes = nodes_of(backend);
  if (options.plan) {
    if (first) fmt::print("{}", plan_text(nodes, options.settings, options.test));
    return exit_pass;
  }
  std::optional<Heartbeat> heartbeat;
  try {
    heartbeat.emplace(backend, Heartbeat::Settings{.program = scan_program,
                                                   .timeout_seconds = options.limit_seconds,
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
      if (first) print_round(round, number);
      return measure_pairs(round, number);
    };
    const auto results = scan(nodes, std::move(known), options.settings, measure_round,
                              [&](const std::vector<PairResult>& so_far) {
                                if (first) keep_state(options, nodes, so_far);
                              });
    const ScannedPairs how{.profile = profile_of(options),
                           .backend = backend.info(),
                           .transport = joined_transport(backend.share(backend.transport())),
                           .ranks = 2 * backend.size() / static_cast<int>(nodes.size()),
                           .bytes = options.test.bytes};
    return conclude(options, nodes, results, how, first);
  } catch (const AgreedError& error) {
    error.tell(scan_program);
    return exit_could_not_run;
  } catch (const std::exception& error) {
    if (heartbeat) heartbeat->fail(error.what());
    throw;
  }
}

int scan_as(const ScanOptions& options) {
  if (options.backend == BackendChoice::sim) return scan_sim(options);
  if (options.backend == BackendChoice::mpi)
    return scan_together(*make_backend(options.backend, {}), options);
  // Ranks of MPI cannot leave each other, so only those who ask for it get it.
  const bool on_gpus = choose(options.backend) == BackendChoice::nccl;
  return scan_with_agents(options, on_gpus ? BackendChoice::nccl : BackendChoice::tcp);
}

int complain(const std::exception& error, bool speaks, int status) {
  if (speaks) fmt::print(stderr, "{}: {}\n", scan_program, error.what());
  return status;
}

}  // namespace

int scan_main(const std::vector<std::string>& args) {
  bool speaks = launcher_rank() == 0;
  try {
    const std::optional<ScanOptions> options = parse_scan_options(args);
    if (!options) return exit_pass;
    if (options->pair_rank.empty()) return scan_as(*options);
    speaks = true;  // to the process that started it
    return run_pair_rank(parse_pair_rank(options->pair_rank), options->backend, options->test,
                         options->limit_seconds);
  } catch (const UsageError& error) {
    complain(error, speaks, exit_usage);
    if (speaks) fmt::print(stderr, "Try `{} --help`.\n", scan_program);
    return exit_usage;
  } catch (const AgreedError& error) {
    error.tell(scan_program);
    return exit_could_not_run;
  } catch (const WrongRank& error) {
    return complain(error, true, exit_could_not_run);
  } catch (const std::exception& error) {
    return complain(error, speaks, exit_could_not_run);
  }
}

}  // namespace slipway::bandwidth
