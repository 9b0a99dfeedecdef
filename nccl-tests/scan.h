// A scan from options to findings, over anything that can measure pairs.
#pragma once

#include <filesystem>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "nccl-tests/backend.h"
#include "nccl-tests/measure.h"
#include "nccl-tests/scan_plan.h"
#include "nccl-tests/sim_world.h"

namespace slipway::bandwidth {

// How a pair is measured: all_gather between the ranks of two nodes.
struct PairTest {
  int64_t bytes = 64 << 20;
  Timing timing;
};

// Measures all pairs of a round at the same time.
using MeasureRound = std::function<std::vector<PairResult>(const Round&, int number)>;

// On every rank of a backend; all ranks. Every rank gets all results.
MeasureRound on_backend(Backend& backend, const std::vector<ScanNode>& nodes, PairTest test);
MeasureRound on_sim(const SimWorld& world, PairTest test);

// The nodes of a backend, in order of their first rank, with the blocks that Slurm's topology puts
// them in; all ranks.
std::vector<ScanNode> nodes_of(Backend& backend);
std::vector<ScanNode> nodes_of(const SimWorld& world);

// Rounds until there is nothing more to learn. After each, `keep` is told all results.
std::vector<PairResult> scan(const std::vector<ScanNode>& nodes, std::vector<PairResult> known,
                             const ScanSettings& settings, const MeasureRound& measure_round,
                             const std::function<void(const std::vector<PairResult>&)>& keep);

// What is measured for sure, and what it costs at most.
std::string plan_text(const std::vector<ScanNode>& nodes, const ScanSettings& settings,
                      const PairTest& test);
std::string findings_text(const std::vector<ScanNode>& nodes,
                          const std::vector<PairResult>& results, const ScanSettings& settings);

// Whether a scan has found what somebody must look at: the exit status 1.
bool found_something(const std::vector<ScanNode>& nodes, const std::vector<PairResult>& results,
                     const ScanSettings& settings);

// A scan's results by the nodes' names, as JSON (schema slipway/scan/1): to be gone on from. Those
// of nodes that are not among `nodes` any more are left out.
std::string scan_to_json(const std::vector<ScanNode>& nodes, const std::vector<PairResult>& results,
                         const ScanSettings& settings);
std::vector<PairResult> scan_from_json(const std::string& text, const std::filesystem::path& path,
                                       const std::vector<ScanNode>& nodes);

}  // namespace slipway::bandwidth
