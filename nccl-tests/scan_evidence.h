// What the pairs of a scan say about its nodes, links and blocks, relative to each other.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "nccl-tests/scan_fit.h"
#include "nccl-tests/scan_groups.h"
#include "nccl-tests/scan_plan.h"

namespace slipway::bandwidth {

// One measured pair from the view of one of its nodes.
struct Seen {
  int partner = 0;
  bool crosses = false;  // the pair crosses blocks
  double relative = 0;   // to pairs of good nodes, across blocks or inside; 0 where it failed
  bool failed = false;
};

// A pair inside a block that is slower than both of its nodes explain.
struct SlowLink {
  Pair pair;
  std::vector<double> relatives;  // of each time that it was measured
};

struct Coverage {
  int64_t measured = 0, of = 0;  // pairs inside blocks
};

class Evidence {
 public:
  Evidence(const std::vector<ScanNode>& nodes, const std::vector<PairResult>& results,
           const ScanSettings& settings);

  const std::vector<Seen>& of(int node) const { return seen_[static_cast<size_t>(node)]; }
  const UnitFit& fit_of(int node) const { return fit_.units[static_cast<size_t>(node)]; }
  const ScanGroups& groups() const { return groups_; }
  const PairNoise& noise() const { return fit_.noise; }
  double log_drop() const { return log_drop_; }

  bool is_good(int node) const { return fit_of(node).good && !is_dead(node); }
  // Every pair failed, of which two at least with nodes that work with others.
  bool is_dead(int node) const;
  // Failed pairs with nodes that are not dead.
  int failures(int node) const;

  // The pairs that every node needs before one with the drop to find differs for certain from a
  // healthy one; 0 if no number is enough.
  int pairs_needed() const { return pairs_needed_; }
  // Whether this node's pairs are enough.
  bool is_judged(int node) const;
  // Whether all nodes are judged, except a few that are seldom paired.
  bool allows_judgment() const;
  // Whether so many nodes are alike that the others are exceptions.
  bool most_are_alike() const;

  // How often a link must be measured, and be low every time, before it is blamed.
  size_t times_of_link() const;
  const std::vector<SlowLink>& slow_links() const { return links_; }
  const Coverage& coverage() const { return coverage_; }

  // By block of groups().blocks(); empty if they cannot be compared.
  const Fit& blocks() const { return blocks_; }
  bool blocks_allow_judgment() const;
  int crossing_rounds() const { return crossing_rounds_; }
  int inside_rounds() const { return inside_rounds_; }

 private:
  void fit_nodes(const std::vector<PairResult>& results);
  void fit_blocks(const std::vector<PairResult>& results);
  void find_links();
  double low_link() const;  // a logarithm
  void count_rounds(const std::vector<PairResult>& results);

  ScanGroups groups_;
  double log_drop_;
  std::vector<std::vector<Seen>> seen_;
  Fit fit_, blocks_;
  int pairs_needed_ = 0;
  int crossing_rounds_ = 0, inside_rounds_ = 0;
  std::vector<SlowLink> links_;
  Coverage coverage_;
};

}  // namespace slipway::bandwidth
