// The options of bandwidth_scan.
#include "nccl-tests/scan_options.h"

#include <fmt/core.h>

#include "common/command_line.h"
#include "common/error.h"
#include "common/node_profile.h"
#include "nccl-tests/scan_pair.h"

namespace slipway::bandwidth {

namespace {

constexpr double most_burn_seconds = 3600;  // a longer one has nothing more to show

}  // namespace

std::optional<ScanOptions> parse_scan_options(const std::vector<std::string>& args) {
  ScanOptions options;
  options.test.timing.iterations = 5;
  options.test.timing.samples = 6;
  options.test.timing.budget_seconds = 2;
  std::string backend = "auto", world, size, state, profile(node_profile_path), level = "pair";
  double drop_percent = 10, coverage_percent = 0, precision_percent = 2;
  CommandLine line(scan_program, "Find the slow node, link or block of an allocation.");
  line.about(
      "Many pairs of nodes are measured at a time and judged against each other. The commands "
      "that would drain a bad node are printed, not run.");
  line.flag("plan", "print the rounds and their longest time, and measure nothing", &options.plan);
  line.option("backend", "auto|nccl|mpi|tcp|sim",
              "what to measure with: GPUs (nccl), host memory (mpi, tcp) or a simulation",
              &backend);
  line.option("world", "FILE", "the nodes and links of the simulation, as YAML", &world);
  line.option("size,b", "SIZE", "size of a pair's all_gather", &size,
              "the smallest with an expected figure on GPUs, 64M otherwise");
  line.option("node-profile", "FILE", "what this machine type is known to reach", &profile);
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
  line.option("level", "pair|node",
              "node: then measure inside the nodes that were named, and each of their interfaces",
              &level);
  line.option("burn", "SECONDS",
              "then compute on all GPUs of every node, at the same time, and check each result",
              &options.burn_seconds, "no");
  line.option("coverage", "PERCENT", "measure at least this share of the pairs inside blocks",
              &coverage_percent);
  line.option("rounds", "N", "the most rounds", &options.settings.most_rounds);
  line.option("seed", "N", "choose another order of pairs", &options.settings.seed);
  line.option("state", "FILE", "keep the results after each round, and resume from them", &state);
  line.option("timeout,T", "SECONDS", "give up a pair, and who does not answer, after this long",
              &options.limit_seconds);
  line.option(pair_option, "RANK", "measure as a rank of a pair", &options.pair_rank, "no");
  line.hide();
  line.example("srun --ntasks-per-node=1 bandwidth_scan --state scan.json",
               "scan the nodes of a job, in host memory");
  line.example("bandwidth_scan --backend sim --world world.yaml --plan",
               "print what would be measured");
  line.example("srun --ntasks-per-node=1 bandwidth_scan --level node",
               "find slow nodes, and say what inside them is slow");
  line.example("srun --ntasks-per-node=1 bandwidth_scan --burn 60",
               "find GPUs that compute wrong, fail or slow down under load, too");
  line.exit_status("0", "no node, link or block is slow");
  line.exit_status("1", "a node, link or block is slow, or a GPU failed under load");
  line.exit_status("3", "the scan could not run, or its noise was too large to judge");
  line.see_also("all_gather_perf(1)");
  if (!line.parse(args)) return std::nullopt;
  options.backend = parse_backend(backend);
  if ((options.backend == BackendChoice::sim) != !world.empty()) {
    throw UsageError("--backend sim needs --world FILE, and --world FILE needs --backend sim");
  }
  if (level != "pair" && level != "node")
    throw UsageError(fmt::format("--level is {}, it must be pair or node", level));
  if (level == "node" && options.backend == BackendChoice::mpi)
    throw UsageError(
        "--level node needs ranks that can be asked one by one: --backend tcp, nccl or sim");
  const bool has_gpus =
      options.backend != BackendChoice::mpi && options.backend != BackendChoice::sim;
  if (options.burn_seconds != 0 && !has_gpus)
    throw UsageError("--burn needs ranks of their own on real nodes: --backend tcp or nccl");
  if (!(options.burn_seconds >= 0 && options.burn_seconds <= most_burn_seconds))
    throw UsageError(fmt::format("--burn is {}, it must be from 0 to {:.0f} seconds",
                                 options.burn_seconds, most_burn_seconds));
  if (!(drop_percent > 0 && drop_percent < 100)) {
    throw UsageError(
        fmt::format("--detect is {}, it must be between 0 and 100 percent", drop_percent));
  }
  if (options.settings.most_rounds < 1 || options.test.timing.iterations < 1 ||
      options.test.timing.samples < 1 || !(options.test.timing.budget_seconds > 0) ||
      !(options.limit_seconds > 0) || !(precision_percent >= 0 && precision_percent < 100) ||
      !(coverage_percent >= 0 && coverage_percent <= 100)) {
    throw UsageError(
        "--rounds, --iters, --samples, --budget and --timeout must be above 0, --precision and "
        "--coverage from 0 to 100");
  }
  options.world = world;
  options.state = state;
  options.node_profile = profile;
  options.explains_nodes = level == "node";
  options.chooses_size = size.empty();
  if (!size.empty()) options.test.bytes = parse_size(size);
  options.test.timing.precision = precision_percent / 100;
  options.settings.detect = drop_percent / 100;
  options.settings.coverage = coverage_percent / 100;
  return options;
}

std::vector<std::string> arguments_of(const ScanOptions& options, BackendChoice backend) {
  const Timing& timing = options.test.timing;
  return {"--backend",   backend == BackendChoice::nccl ? "nccl" : "tcp",
          "--size",      std::to_string(options.test.bytes),
          "--iters",     std::to_string(timing.iterations),
          "--samples",   std::to_string(timing.samples),
          "--precision", fmt::format("{}", timing.precision * 100),
          "--budget",    fmt::format("{}", timing.budget_seconds),
          "--timeout",   fmt::format("{}", options.limit_seconds)};
}

}  // namespace slipway::bandwidth
