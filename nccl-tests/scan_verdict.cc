// The findings of a scan: slow nodes, links and blocks, each with its evidence.
#include "nccl-tests/scan_verdict.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "common/count.h"
#include "common/text.h"
#include "nccl-tests/scan_burn.h"
#include "nccl-tests/scan_evidence.h"

namespace slipway::bandwidth {
namespace {

// If more links are low than this share of the measured pairs, it is the network's noise.
constexpr double most_links = 0.02;
// Failed pairs of a node that works with others.
constexpr int notable_failures = 2;

double percent_below(double log_relative) {
  return -std::expm1(log_relative) * 100;
}

// As a drop: "12 %".
std::string percent(double log_drop) {
  return fmt::format("{:.{}f} %", percent_below(-log_drop), log_drop < 0.03 ? 1 : 0);
}

class Judge {
 public:
  Judge(const std::vector<ScanNode>& nodes, const std::vector<PairResult>& results,
        const ScanSettings& settings)
      : nodes_(nodes), settings_(settings), evidence_(nodes, results, settings) {}

  std::vector<Finding> take() {
    judged_ = evidence_.allows_judgment();
    for (int node = 0; node < static_cast<int>(nodes_.size()); ++node) judge_node(node);
    if (judged_) judge_links();
    judge_blocks();
    if (!settings_.too_slow.empty()) add(Finding::What::cluster, {}, settings_.too_slow);
    judge_noise();
    return std::move(found_);
  }

 private:
  const std::string& name(int node) const { return nodes_[static_cast<size_t>(node)].name; }
  void add(Finding::What what, std::vector<int> nodes, std::string text, std::string reason = "") {
    found_.push_back({what, std::move(nodes), std::move(text), std::move(reason)});
  }

  // "0.79 with n-1, failed with n-7"
  std::string pairs_of(int node) const {
    constexpr size_t shown = 6;
    std::vector<std::string> words;
    for (const Seen& seen : evidence_.of(node)) {
      if (seen.crosses && !seen.failed) continue;
      words.push_back(seen.failed
                          ? fmt::format("failed with {}", name(seen.partner))
                          : fmt::format("{:.2f} with {}", seen.relative, name(seen.partner)));
    }
    const size_t all = words.size();
    words.resize(std::min(all, shown));
    return join(words, ", ") + (all > shown ? fmt::format(", and {} more", all - shown) : "");
  }

  void judge_node(int node) {
    if (const auto lost = settings_.lost.find(node); lost != settings_.lost.end()) {
      return add(Finding::What::node, {node}, fmt::format("{}: {}", name(node), lost->second),
                 lost->second);
    }
    if (evidence_.of(node).empty()) {
      return add(Finding::What::inconclusive, {node}, fmt::format("{} was in no pair", name(node)));
    }
    if (evidence_.is_dead(node)) {
      return add(Finding::What::node, {node},
                 fmt::format("{}: every pair failed ({})", name(node), pairs_of(node)),
                 "every pair with it failed");
    }
    const UnitFit& fit = evidence_.fit_of(node);
    if (evidence_.failures(node) >= notable_failures || fit.pairs == 0) {
      add(Finding::What::inconclusive, {node},
          fmt::format("{}: some of its pairs failed ({})", name(node), pairs_of(node)));
    }
    if (fit.pairs == 0 || nodes_.size() < 3) return;
    if (fit.slow) return judge_slow(node);
    if (!fit.met_good && !fit.good) {
      add(Finding::What::inconclusive, {node},
          fmt::format("{} was never paired with a node that is known to be good ({})", name(node),
                      pairs_of(node)));
    }
  }

  void judge_slow(int node) {
    const double below = percent_below(evidence_.fit_of(node).middle);
    const std::string reason =
        fmt::format("{:.0f} % below the median of {} nodes{}", below, nodes_.size(),
                    evidence_.groups().is_guest(node) ? ", or the uplink of its small block" : "");
    const std::string doubt =
        judged_ ? doubt_of_guest(node) : "the noise is too large for a verdict";
    if (doubt.empty()) {
      return add(Finding::What::node, {node},
                 fmt::format("{}: {} ({})", name(node), reason, pairs_of(node)), reason);
    }
    add(Finding::What::inconclusive, {node},
        fmt::format("{}: {}, but {} ({})", name(node), reason, doubt, pairs_of(node)));
  }

  // Why a slow guest may be healthy; empty for other nodes.
  std::string doubt_of_guest(int node) const {
    const ScanGroups& groups = evidence_.groups();
    if (!groups.is_guest(node)) return "";
    if (groups.blocks().size() < 2) return "it may be the path between the two blocks";
    const auto host = std::ranges::find(groups.blocks(), groups.of(node));
    const auto place = static_cast<size_t>(host - groups.blocks().begin());
    const std::vector<UnitFit>& blocks = evidence_.blocks().units;
    const bool slow_host = place < blocks.size() && blocks[place].slow;
    return slow_host ? "the block that it was compared with has a slow uplink" : "";
  }

  // Two low measurements are inconclusive, three blame the link; one is noise.
  void judge_links() {
    std::vector<Finding> links;
    for (const SlowLink& link : evidence_.slow_links()) {
      if (link.relatives.size() < 2) continue;
      std::vector<std::string> words;
      double sum = 0;
      for (const double relative : link.relatives) {
        words.push_back(fmt::format("{:.2f}", relative));
        sum += std::log(relative);
      }
      const double mean = sum / static_cast<double>(link.relatives.size());
      const bool sure =
          link.relatives.size() >= evidence_.times_of_link() && mean < -link_threshold();
      links.push_back({sure ? Finding::What::link : Finding::What::inconclusive,
                       {link.pair.a, link.pair.b},
                       fmt::format("between {} and {}: {}, although both are good with others",
                                   name(link.pair.a), name(link.pair.b), join(words, ", ")),
                       ""});
    }
    const double most =
        std::max(3.0, most_links * static_cast<double>(evidence_.coverage().measured));
    if (static_cast<double>(links.size()) > most) {
      return add(Finding::What::inconclusive, {},
                 fmt::format("{} are slow although their nodes are good with others: routes that "
                             "share a link, not a broken one",
                             counted(links.size(), "pair")));
    }
    found_.insert(found_.end(), links.begin(), links.end());
  }
  // One measured pair in a whole scan is as low as this by chance.
  double link_threshold() const {
    const double pairs = static_cast<double>(std::max<int64_t>(evidence_.coverage().measured, 1));
    return std::max(0.75 * evidence_.log_drop(),
                    normal_tail(false_names_of_scan / pairs) * evidence_.noise().deviation());
  }

  void judge_blocks() {
    const std::vector<int>& blocks = evidence_.groups().blocks();
    const std::vector<UnitFit>& units = evidence_.blocks().units;
    for (size_t i = 0; i < units.size() && blocks.size() > 2; ++i) {
      if (!units[i].slow) continue;
      const std::string text = fmt::format(
          "block {}: its pairs with other blocks are {:.0f} % below those of others, those inside "
          "are good: its uplink",
          blocks[i], percent_below(units[i].middle));
      const bool sure = evidence_.blocks_allow_judgment();
      add(sure ? Finding::What::block : Finding::What::inconclusive, {},
          sure ? text : text + ", if it is not noise");
    }
  }

  void judge_noise() {
    if (judged_ || evidence_.noise().size() == 0 || nodes_.size() < 3) return;
    const PairNoise& noise = evidence_.noise();
    if (noise.size() == 1) {
      add(Finding::What::too_noisy, {},
          "one pair of good nodes does not show how much healthy pairs differ: scan more nodes, or "
          "more rounds");
      return;
    }
    if (!evidence_.most_are_alike()) {
      add(Finding::What::too_noisy, {},
          "fewer than half of the nodes are alike, so nothing says which speed is the right one");
      return;
    }
    const int needed = evidence_.pairs_needed(), done = evidence_.inside_rounds();
    const double shown = noise.detectable(std::max(1, typical_pairs()));
    std::string text = fmt::format(
        "pairs of good nodes differ by {:.1f} % (standard deviation), so {} show a drop of {} or "
        "more, not of {}",
        noise.deviation() * 100, counted(done, "round"), percent(shown),
        percent(evidence_.log_drop()));
    if (needed == 0)
      text += "; no number of rounds does";
    else if (needed >= static_cast<int>(nodes_.size()))
      text += fmt::format("; it takes pairs with {} others of each: scan more nodes", needed);
    else
      text += fmt::format("; about {} more would (--rounds {})", std::max(1, needed - done),
                          needed + 1);
    add(Finding::What::too_noisy, {}, text);
  }

 public:
  // The number of pairs of the node in the middle.
  int typical_pairs() const {
    std::vector<int> pairs;
    for (int node = 0; node < static_cast<int>(nodes_.size()); ++node) {
      if (!evidence_.of(node).empty()) pairs.push_back(evidence_.fit_of(node).pairs);
    }
    if (pairs.empty()) return 0;
    const auto middle = pairs.begin() + static_cast<std::ptrdiff_t>(pairs.size() / 2);
    std::ranges::nth_element(pairs, middle);
    return *middle;
  }

  std::string power() const {
    const PairNoise& noise = evidence_.noise();
    if (noise.size() == 0 || nodes_.size() < 3) return "";
    const Coverage& covered = evidence_.coverage();
    const std::string known =
        noise.size() == 1
            ? "noise of pairs not known"
            : fmt::format("noise of pairs {:.1f} %: a node that is {} slower is found",
                          noise.deviation() * 100,
                          percent(noise.detectable(std::max(1, typical_pairs()))));
    return fmt::format("{}\nlinks inside blocks: {} of {} pairs measured ({:.0f} %)\n", known,
                       covered.measured, covered.of,
                       100 * static_cast<double>(covered.measured) /
                           static_cast<double>(std::max<int64_t>(covered.of, 1)));
  }

 private:
  const std::vector<ScanNode>& nodes_;
  const ScanSettings& settings_;
  Evidence evidence_;
  bool judged_ = false;
  std::vector<Finding> found_;
};

}  // namespace

std::vector<Finding> findings(const std::vector<ScanNode>& nodes,
                              const std::vector<PairResult>& results,
                              const ScanSettings& settings) {
  std::vector<Finding> found = Judge(nodes, results, settings).take();
  if (settings.burned) add_burn(*settings.burned, nodes, settings.detect, found);
  return found;
}

std::string power_text(const std::vector<ScanNode>& nodes, const std::vector<PairResult>& results,
                       const ScanSettings& settings) {
  return Judge(nodes, results, settings).power();
}

std::string_view to_string(Finding::What what) {
  switch (what) {
    case Finding::What::node:
      return "node";
    case Finding::What::link:
      return "link";
    case Finding::What::block:
      return "block";
    case Finding::What::cluster:
      return "cluster";
    case Finding::What::too_noisy:
      return "too noisy";
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
