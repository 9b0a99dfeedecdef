// The findings of a scan: slow nodes, links and blocks, each with its evidence.
#include "nccl-tests/scan_verdict.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "common/text.h"
#include "nccl-tests/scan_evidence.h"

namespace slipway::bandwidth {
namespace {

// The number of pairs that must agree on a node; one alone may be its partner's fault.
constexpr size_t least_pairs = 2;
// The number of measurements before a link is blamed.
constexpr size_t least_of_a_link = 3;

class Judge {
 public:
  Judge(const std::vector<ScanNode>& nodes, const std::vector<PairResult>& results,
        const ScanSettings& settings)
      : nodes_(nodes), evidence_(nodes, results, settings) {}

  std::vector<Finding> take() {
    for (int node = 0; node < static_cast<int>(nodes_.size()); ++node) judge_node(node);
    judge_links();
    judge_blocks();
    return std::move(found_);
  }

 private:
  const std::string& name(int node) const { return nodes_[static_cast<size_t>(node)].name; }

  static std::string percent_below(double relative) {
    return fmt::format("{:.0f} % below", (1 - relative) * 100);
  }

  // "0.79 with n-1, failed with n-7"
  std::string pairs_of(int node) const {
    std::vector<std::string> words;
    for (const Seen& seen : evidence_.of(node)) {
      words.push_back(seen.failed
                          ? fmt::format("failed with {}", name(seen.partner))
                          : fmt::format("{:.2f} with {}", seen.relative, name(seen.partner)));
    }
    return join(words, ", ");
  }

  void judge_node(int node) {
    const std::vector<Seen>& all = evidence_.of(node);
    if (all.empty()) {
      found_.push_back(
          {Finding::What::inconclusive, {node}, fmt::format("{} was in no pair", name(node)), ""});
      return;
    }
    const bool failed = std::ranges::all_of(all, &Seen::failed);
    // If two nodes were paired only with each other, either may be the slow one.
    const bool with_good_one =
        std::ranges::any_of(all, [&](const Seen& seen) { return evidence_.is_good(seen.partner); });
    if (failed && with_good_one && all.size() >= least_pairs) {
      found_.push_back({Finding::What::node,
                        {node},
                        fmt::format("{}: every pair failed ({})", name(node), pairs_of(node)),
                        "every pair with it failed"});
      return;
    }
    const auto estimate = evidence_.estimate(node);
    const bool low = estimate && *estimate < evidence_.low() && evidence_.is_suspect(node);
    if (!low && !failed) return;
    if (!with_good_one || all.size() < least_pairs) {
      found_.push_back({Finding::What::inconclusive,
                        {node},
                        fmt::format("{} was never paired with a node that is known to be good ({})",
                                    name(node), pairs_of(node)),
                        ""});
      return;
    }
    const std::string below =
        fmt::format("{} the median of {} nodes", percent_below(*estimate), nodes_.size());
    found_.push_back({Finding::What::node,
                      {node},
                      fmt::format("{}: {} ({})", name(node), below, pairs_of(node)),
                      below});
  }

  void judge_links() {
    for (const Pair& link : evidence_.suspect_links()) {
      const std::vector<double> relatives = evidence_.relatives(link);
      std::vector<std::string> words;
      for (const double relative : relatives) words.push_back(fmt::format("{:.2f}", relative));
      // One low measurement is noise. Two are reported as inconclusive, three blame the link.
      if (relatives.size() < 2) continue;
      const bool sure = relatives.size() >= least_of_a_link;
      found_.push_back({sure ? Finding::What::link : Finding::What::inconclusive,
                        {link.a, link.b},
                        fmt::format("between {} and {}: {}, although both are good with others",
                                    name(link.a), name(link.b), join(words, ", ")),
                        ""});
    }
  }

  void judge_blocks() {
    const std::vector<int> blocks = evidence_.suspect_blocks();
    if (blocks.empty()) return;
    std::vector<std::string> names;
    for (const int block : blocks) names.push_back(std::to_string(block));
    // Without a third block that is good with one of them, either may be the slow one.
    if (blocks.size() > 1) {
      found_.push_back({Finding::What::inconclusive,
                        {},
                        fmt::format("pairs across blocks {} are low: the uplink of one of them",
                                    join(names, ", ")),
                        ""});
      return;
    }
    found_.push_back({Finding::What::block,
                      {},
                      fmt::format("block {}: its pairs with other blocks are low, those inside are "
                                  "good: its uplink",
                                  names.front()),
                      ""});
  }

  const std::vector<ScanNode>& nodes_;
  Evidence evidence_;
  std::vector<Finding> found_;
};

}  // namespace

std::vector<Finding> findings(const std::vector<ScanNode>& nodes,
                              const std::vector<PairResult>& results,
                              const ScanSettings& settings) {
  return Judge(nodes, results, settings).take();
}

std::string_view to_string(Finding::What what) {
  switch (what) {
    case Finding::What::node:
      return "node";
    case Finding::What::link:
      return "link";
    case Finding::What::block:
      return "block";
    case Finding::What::inconclusive:
      return "inconclusive";
  }
  return "";
}

std::string drain_line(const std::string& node, const std::string& reason) {
  return fmt::format("scontrol update NodeName={} State=DRAIN Reason=\"bandwidth scan: {}\"", node,
                     reason);
}

}  // namespace slipway::bandwidth
