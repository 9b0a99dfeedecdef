// Decides which pairs of nodes to measure next to find the slow ones.
#include "nccl-tests/scan_plan.h"

#include <algorithm>
#include <cmath>

#include "nccl-tests/scan_evidence.h"
#include "nccl-tests/scan_rounds.h"

namespace slipway::bandwidth {
namespace {

constexpr int rounds_of_all = 2;  // before any node is suspected
constexpr int pairs_of_suspect =
    8;  // before a node is named or cleared, if there are so many nodes
constexpr int pairs_of_clear_case = 4;  // if it has twice the drop to find
constexpr int rounds_of_noise = 4;      // before a scan ends because of its noise
constexpr int pairs_of_block = 8;
// A scan whose noise asks for so many times its rounds ends early.
constexpr int hopeless = 2;
// How many nodes are looked at for a partner that a node has not met.
constexpr size_t partners_tried = 32;

class Planner {
 public:
  Planner(const std::vector<ScanNode>& nodes, const std::vector<PairResult>& results,
          const ScanSettings& settings)
      : settings_(settings),
        evidence_(nodes, results, settings),
        order_(nodes, evidence_.groups(), settings),
        done_(rounds_done(results)),
        busy_(nodes.size()) {
    for (const auto& [node, why] : settings.lost) busy_[static_cast<size_t>(node)] = true;
  }

  Round next() {
    const bool inside = needs_inside(), across = needs_across();
    if (!inside && !across) return {};
    // In turn, where both are needed.
    if (across && (!inside || evidence_.crossing_rounds() * 2 < evidence_.inside_rounds())) {
      return across_round();
    }
    return inside_round();
  }

 private:
  bool is_free(int node) const { return !busy_[static_cast<size_t>(node)]; }
  void add(int a, int b) {
    round_.push_back({a, b});
    busy_[static_cast<size_t>(a)] = busy_[static_cast<size_t>(b)] = true;
  }

  bool is_suspect(int node) const {
    const UnitFit& fit = evidence_.fit_of(node);
    return !evidence_.of(node).empty() && !fit.good;
  }

  bool is_hopeless() const {
    const int needed = evidence_.pairs_needed();
    return done_ >= rounds_of_noise && (needed == 0 || needed > hopeless * settings_.most_rounds);
  }

  // Whether the coverage of pairs inside blocks must still grow. A tournament meets each
  // of them once, so nothing else disturbs it.
  bool is_covering() const {
    const Coverage& covered = evidence_.coverage();
    return static_cast<double>(covered.measured) <
           settings_.coverage * static_cast<double>(covered.of);
  }

  // The rounds inside blocks that the noise asks for, with one in reserve for odd numbers of nodes.
  bool needs_inside() const {
    if (evidence_.inside_rounds() < rounds_of_all) return true;
    if (is_covering()) return true;
    if (is_hopeless()) return false;
    for (const SlowLink& link : evidence_.slow_links()) {
      if (link.relatives.size() < evidence_.times_of_link()) return true;
    }
    for (const auto& [group, members] : order_.groups()) {
      if (members.size() < 3) continue;  // nobody to compare with
      if (std::ranges::any_of(members, [&](int node) { return is_open(node); })) return true;
    }
    return false;
  }
  // Whether another pair of this node may change its verdict.
  bool is_open(int node) const {
    const UnitFit& fit = evidence_.fit_of(node);
    if (evidence_.is_dead(node)) return false;
    // Among few nodes, a healthy one may have a single good partner.
    const bool met_many = evidence_.of(node).size() >= size_t{pairs_of_clear_case};
    if (fit.pairs < rounds_of_all && !met_many) return true;
    if (!evidence_.is_judged(node)) return true;
    if (fit.good || fit.measured >= pairs_of_suspect) return false;
    const double drop = evidence_.log_drop();
    const bool is_clear = fit.level < evidence_.noise().cut(fit.pairs, drop) - drop;
    return !is_clear || fit.measured < pairs_of_clear_case;
  }

  bool needs_across() const {
    if (evidence_.groups().blocks().size() < 2 || done_ < rounds_of_all) return false;
    if (evidence_.crossing_rounds() == 0) return true;
    if (evidence_.groups().blocks().size() < 3 || is_hopeless()) return false;
    return std::ranges::any_of(evidence_.blocks().units, [&](const UnitFit& unit) {
      const bool judged =
          unit.met_good && evidence_.blocks().noise.detectable(unit.pairs) <= evidence_.log_drop();
      return !judged || (!unit.good && unit.measured < pairs_of_block);
    });
  }

  Round across_round() const {
    Round round = order_.across(evidence_.crossing_rounds());
    std::erase_if(round, [&](Pair pair) { return is_suspect(pair.a) || is_suspect(pair.b); });
    return round;
  }

  Round inside_round() {
    const Round tournament = order_.inside(evidence_.inside_rounds());
    if (done_ < rounds_of_all || is_covering()) return tournament;
    for (const SlowLink& link : evidence_.slow_links()) {
      const bool measured_enough = link.relatives.size() >= evidence_.times_of_link();
      if (!measured_enough && is_free(link.pair.a) && is_free(link.pair.b))
        add(link.pair.a, link.pair.b);
    }
    for (const auto& [group, members] : order_.groups()) {
      if (evidence_.inside_rounds() % 2 == 1) add_references(members);
      add_suspects(members);
    }
    for (const Pair& pair : tournament) {
      if (is_free(pair.a) && is_free(pair.b)) add(pair.a, pair.b);
    }
    for (const auto& [group, members] : order_.groups()) add_rest(members);
    return std::move(round_);
  }

  bool have_met(int a, int b) const {
    const auto& all = evidence_.of(a);
    return std::ranges::any_of(all, [&](const Seen& seen) { return seen.partner == b; });
  }

  // Those first that have met the fewest good nodes.
  std::vector<int> suspects_of(const std::vector<int>& members) const {
    std::vector<int> suspects;
    for (const int node : members) {
      if (is_free(node) && is_suspect(node)) suspects.push_back(node);
    }
    std::ranges::stable_sort(suspects, {}, [&](int node) {
      const UnitFit& fit = evidence_.fit_of(node);
      return fit.met_good ? fit.measured : 0;
    });
    return suspects;
  }

  // Lets good nodes meet each other before the suspects of a group take them all: what suspects are
  // compared with should be as old as their own pairs, because a cluster may become slower as a
  // whole.
  void add_references(const std::vector<int>& members) {
    std::vector<int> good;
    for (const int node : members) {
      if (is_free(node) && evidence_.is_good(node)) good.push_back(node);
    }
    if (members.size() < 4) return;  // a single good pair, again and again, knows no noise
    if (good.size() < 2 || good.size() >= suspects_of(members).size() + 2) return;
    const size_t turn = static_cast<size_t>(done_) / 2;
    add(good[turn % good.size()], good[(turn + 1) % good.size()]);
  }

  // Gives every suspect of a group a good partner, one that it has not met if there is one near.
  void add_suspects(const std::vector<int>& members) {
    std::vector<int> partners;
    for (size_t i = 0; i < members.size(); ++i) {
      const int node = members[(i + static_cast<size_t>(done_)) % members.size()];
      if (is_free(node) && evidence_.is_good(node)) partners.push_back(node);
    }
    for (const int node : suspects_of(members)) {
      if (partners.empty()) return;
      size_t chosen = partners.size() - 1;
      for (size_t tried = 0; tried < std::min(partners_tried, partners.size()); ++tried) {
        const size_t place = partners.size() - 1 - tried;
        if (have_met(node, partners[place])) continue;
        chosen = place;
        break;
      }
      add(node, partners[chosen]);
      partners.erase(partners.begin() + static_cast<std::ptrdiff_t>(chosen));
    }
  }

  void add_rest(const std::vector<int>& members) {
    std::vector<int> waiting;  // one at most
    for (const int node : members) {
      if (!is_free(node)) continue;
      if (waiting.empty()) {
        waiting.push_back(node);
        continue;
      }
      add(waiting.back(), node);
      waiting.clear();
    }
  }

  const ScanSettings& settings_;
  Evidence evidence_;
  ScanOrder order_;
  int done_;
  Round round_;
  std::vector<char> busy_;
};

// The rounds of a tournament that cover this share of the pairs of the largest block.
int rounds_for_coverage(const std::vector<ScanNode>& nodes, double coverage) {
  if (coverage <= 0) return 0;
  std::map<int, int> sizes;
  int largest = 0;
  for (const ScanNode& node : nodes) largest = std::max(largest, ++sizes[node.block]);
  // Rounds across blocks, and pairs that are measured again, take a part of them.
  return static_cast<int>(std::ceil(coverage * largest * 1.5)) + 8;
}

}  // namespace

int rounds_done(const std::vector<PairResult>& results) {
  int rounds = 0;
  for (const PairResult& result : results) rounds = std::max(rounds, result.round + 1);
  return rounds;
}

Round next_round(const std::vector<ScanNode>& nodes, const std::vector<PairResult>& results,
                 const ScanSettings& settings) {
  const int most = std::max(settings.most_rounds, rounds_for_coverage(nodes, settings.coverage));
  if (nodes.size() < settings.lost.size() + 2 || rounds_done(results) >= most) return {};
  return Planner(nodes, results, settings).next();
}

}  // namespace slipway::bandwidth
