// Runs a scan for slow nodes, from its options to its findings, with anything that measures pairs.
#include "nccl-tests/scan.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include <fmt/core.h>

#include "common/count.h"
#include "common/environment.h"
#include "common/error.h"
#include "common/text.h"
#include "nccl-tests/collective.h"
#include "nccl-tests/ranks.h"
#include "nccl-tests/scan_burn.h"
#include "nccl-tests/scan_verdict.h"
#include "nccl-tests/sim_backend.h"

namespace slipway::bandwidth {
namespace {

const Collective& pair_collective() {
  return collective_of(Kind::all_gather);
}

Case pair_case() {
  return {&pair_collective(), parse_datatypes("float").front(), std::nullopt, std::nullopt};
}

// Why nodes are slow, as far as the levels below pairs show it.
std::string explanations_text(const std::vector<ScanNode>& nodes, const ScanSettings& settings) {
  if (!settings.examined) return "";
  const ExaminedNodes& examined = *settings.examined;
  if (examined.named.empty()) return "levels of nodes: no node is slow, so none was examined\n";
  std::string text;
  for (const int node : examined.named) {
    for (const std::string& why :
         explain(node, examined.levels, examined.healthy, settings.detect)) {
      text += fmt::format("  {}: {}\n", nodes[static_cast<size_t>(node)].name, why);
    }
  }
  return text;
}

std::map<std::string, int> places_of(const std::vector<ScanNode>& nodes) {
  std::map<std::string, int> places;
  for (size_t i = 0; i < nodes.size(); ++i) places[nodes[i].name] = static_cast<int>(i);
  return places;
}

}  // namespace

double measure_pair(Backend& pair, const PairTest& test) {
  const Case which = pair_case();
  const Shape shape = pair_collective().shape(test.bytes, which.datatype.bytes, pair.size());
  const Buffers buffers(pair, shape.send_bytes, shape.receive_bytes);
  warm_up(pair, which, shape, buffers, 1);
  const Row row = measure(pair, which, test.bytes, buffers, test.timing);
  if (row.out_of_place.wrong.value_or(0) + row.in_place.wrong.value_or(0) != 0) {
    throw Error("data arrived wrong");
  }
  return row.out_of_place.busbw_gb_per_s;
}

std::string name_of_this_node() {
  const std::string name = environment_variable("SLURMD_NODENAME");
  return name.empty() ? parse_rank_descriptions({describe_this_rank()}).front().host : name;
}

std::string switch_of_this_node() {
  const char* const address = std::getenv("SLURM_TOPOLOGY_ADDR");
  const std::vector<std::string> parts = split(address == nullptr ? "" : address, '.');
  return parts.size() < 2 ? "" : parts[parts.size() - 2];
}

MeasureRound on_backend(Backend& backend, const std::vector<ScanNode>& nodes, PairTest test) {
  const std::string& own_host = backend.ranks()[static_cast<size_t>(backend.rank())].host;
  const int own = places_of(nodes).at(own_host);
  return [&backend, own, test](const Round& round, int number) {
    // Ranks that are in no pair wait in a group of their own node.
    int group = static_cast<int>(round.size()) + own;
    for (size_t i = 0; i < round.size(); ++i) {
      if (round[i].a == own || round[i].b == own) group = static_cast<int>(i);
    }
    const std::unique_ptr<Backend> part = backend.split(group);
    backend.barrier();
    std::string said;
    if (group < static_cast<int>(round.size())) {
      const double busbw = measure_pair(*part, test);
      if (part->rank() == 0) said = fmt::format("{} {}", group, busbw);
    }
    std::vector<PairResult> results;
    for (const std::string& line : backend.share(said)) {
      if (line.empty()) continue;
      const size_t space = line.find(' ');
      results.push_back({.round = number,
                         .pair = round[static_cast<size_t>(std::stoi(line.substr(0, space)))],
                         .busbw_gb_per_s = std::stod(line.substr(space)),
                         .failure = ""});
    }
    return results;
  };
}

MeasureRound on_sim(const SimWorld& world, PairTest test) {
  return [&world, test](const Round& round, int number) {
    std::vector<PairResult> results;
    for (const Pair& pair : round) {
      PairResult result{.round = number, .pair = pair, .busbw_gb_per_s = {}, .failure = ""};
      if (world.dead.contains(pair.a) || world.dead.contains(pair.b)) {
        result.failure = "no answer";
      } else {
        // Each measurement has independent noise.
        const auto stream =
            (static_cast<uint64_t>(number) * 1000003 + static_cast<uint64_t>(pair.a)) * 1000003 +
            static_cast<uint64_t>(pair.b);
        const auto backend = make_sim_backend(world, {pair.a, pair.b}, stream);
        result.busbw_gb_per_s = measure_pair(*backend, test);
      }
      results.push_back(result);
    }
    return results;
  };
}

std::vector<ScanNode> nodes_of(Backend& backend) {
  const std::vector<std::string> switches = backend.share(switch_of_this_node());
  std::map<std::string, int> blocks;
  std::vector<ScanNode> nodes;
  for (const RankInfo& rank : backend.ranks()) {
    if (std::ranges::count(nodes, rank.host, &ScanNode::name) != 0) continue;
    const std::string& leaf = switches[static_cast<size_t>(rank.rank)];
    const int block = blocks.emplace(leaf, static_cast<int>(blocks.size())).first->second;
    nodes.push_back({rank.host, block});
  }
  return nodes;
}

std::vector<ScanNode> nodes_of(const SimWorld& world) {
  std::vector<ScanNode> nodes;
  for (int node = 0; node < world.nodes; ++node) {
    nodes.push_back({SimWorld::name_of(node), world.block_of(node)});
  }
  return nodes;
}

std::vector<PairResult> scan(const std::vector<ScanNode>& nodes, std::vector<PairResult> known,
                             const ScanSettings& settings, const MeasureRound& measure_round,
                             const std::function<void(const std::vector<PairResult>&)>& keep) {
  for (;;) {
    const Round round = next_round(nodes, known, settings);
    if (round.empty()) return known;
    const std::vector<PairResult> results = measure_round(round, rounds_done(known));
    known.insert(known.end(), results.begin(), results.end());
    keep(known);
  }
}

std::string plan_text(const std::vector<ScanNode>& nodes, const ScanSettings& settings,
                      const PairTest& test) {
  std::string text = fmt::format("{}, at most {}\n", counted(nodes.size(), "node"),
                                 counted(settings.most_rounds, "round"));
  std::vector<PairResult> assumed;
  for (int number = 0; number < std::min(2, settings.most_rounds); ++number) {
    const Round round = next_round(nodes, assumed, settings);
    std::vector<std::string> pairs;
    for (const Pair& pair : round) {
      pairs.push_back(fmt::format("{} {}", nodes[static_cast<size_t>(pair.a)].name,
                                  nodes[static_cast<size_t>(pair.b)].name));
      assumed.push_back({number, pair, 1.0, ""});
    }
    text += fmt::format("round {}: {}\n  {}\n", number + 1, counted(pairs.size(), "pair"),
                        join(pairs, "\n  "));
  }
  if (settings.most_rounds > 2) {
    text += fmt::format(
        "then: as many rounds as the noise of the pairs asks for, at most {}, in which slow nodes "
        "meet good nodes and blocks meet each other\n",
        settings.most_rounds - 2);
  }
  // Two placements of each pair, and a second to connect.
  const double round_seconds = 2 * test.timing.budget_seconds + 1;
  return text + fmt::format("expected time: at most {:.0f} s, {:.0f} s a round\n",
                            round_seconds * settings.most_rounds, round_seconds);
}

std::string findings_text(const std::vector<ScanNode>& nodes,
                          const std::vector<PairResult>& results, const ScanSettings& settings) {
  std::vector<double> busbw;
  for (const PairResult& result : results) {
    if (result.busbw_gb_per_s) busbw.push_back(*result.busbw_gb_per_s);
  }
  std::string text =
      fmt::format("{}, {} in {}", counted(nodes.size(), "node"), counted(results.size(), "pair"),
                  counted(rounds_done(results), "round"));
  if (!busbw.empty()) {
    const Statistics found = describe(busbw);
    text += fmt::format(": median {:.2f} GB/s, MAD {:.2f}", found.median, found.mad);
  }
  text += "\n" + power_text(nodes, results, settings);
  const std::vector<Finding> all = findings(nodes, results, settings);
  for (const Finding& finding : all) {
    text += fmt::format("{}: {}\n", to_string(finding.what), finding.text);
  }
  if (all.empty()) text += "no slow node, link or block\n";
  text += explanations_text(nodes, settings);
  if (settings.burned) text += burn_text(*settings.burned, nodes);
  for (const Finding& finding : all) {
    if (finding.what != Finding::What::node) continue;
    const std::string& name = nodes[static_cast<size_t>(finding.nodes.front())].name;
    text += fmt::format("  {}\n", drain_line(name, finding.reason));
  }
  return text;
}

ScanResult result_of(const std::vector<ScanNode>& nodes, const std::vector<PairResult>& results,
                     const ScanSettings& settings) {
  bool noisy = false;
  for (const Finding& finding : findings(nodes, results, settings)) {
    noisy = noisy || finding.what == Finding::What::too_noisy;
    if (finding.what != Finding::What::too_noisy && finding.what != Finding::What::inconclusive) {
      return ScanResult::found;
    }
  }
  return noisy ? ScanResult::not_judged : ScanResult::nothing;
}

}  // namespace slipway::bandwidth
