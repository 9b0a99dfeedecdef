// Runs a scan for slow nodes, from its options to its findings, with anything that measures pairs.
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

// busbw of a pair's all_gather, on all of its ranks. Throws Error if data arrived wrong.
double measure_pair(Backend& pair, const PairTest& test);

// Measures with a backend; collective. Every rank gets all results.
MeasureRound on_backend(Backend& backend, const std::vector<ScanNode>& nodes, PairTest test);
MeasureRound on_sim(const SimWorld& world, PairTest test);

// Slurm's name of this node, or its host name; and the switch that it is connected to, by
// topology/tree: "s1" for "root.s1.node-3".
std::string name_of_this_node();
std::string switch_of_this_node();

// The nodes of a backend, in order of their first rank, with their blocks from Slurm's topology;
// collective.
std::vector<ScanNode> nodes_of(Backend& backend);
std::vector<ScanNode> nodes_of(const SimWorld& world);

// Runs rounds until the findings cannot change any more. After each round, `keep` gets all results.
std::vector<PairResult> scan(const std::vector<ScanNode>& nodes, std::vector<PairResult> known,
                             const ScanSettings& settings, const MeasureRound& measure_round,
                             const std::function<void(const std::vector<PairResult>&)>& keep);

// The rounds that will be measured in any case, and the time that the scan takes at most.
std::string plan_text(const std::vector<ScanNode>& nodes, const ScanSettings& settings,
                      const PairTest& test);
std::string findings_text(const std::vector<ScanNode>& nodes,
                          const std::vector<PairResult>& results, const ScanSettings& settings);

// What a scan concludes: nothing is slow, something is, or its noise is too large to tell.
enum class ScanResult { nothing, found, not_judged };
ScanResult result_of(const std::vector<ScanNode>& nodes, const std::vector<PairResult>& results,
                     const ScanSettings& settings);

// The results of a scan by node names, as JSON (schema slipway/scan/1), from which a scan can
// resume. Results of nodes that are not in `nodes` are left out.
std::string scan_to_json(const std::vector<ScanNode>& nodes, const std::vector<PairResult>& results,
                         const ScanSettings& settings);
std::vector<PairResult> scan_from_json(const std::string& text, const std::filesystem::path& path,
                                       const std::vector<ScanNode>& nodes);

}  // namespace slipway::bandwidth
