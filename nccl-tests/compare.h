// Compares two sides, each of one or several reports: is the second slower, and how certain is
// that?
//
// The unit is a run. What all samples of a run have in common, such as the paths of its
// connections, is part of the noise, and shows only in several runs.
// docs/decisions/0064-the-run-is-the-unit.md
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nccl-tests/read_report.h"

namespace slipway::bandwidth {

struct Sides {
  std::vector<ReadReport> before, after;
  // Both sides have equally many reports, and those with the same index are a pair whose order was
  // drawn by lot.
  bool paired = false;
};

enum class Design {
  pairs,    // pairs in random order: turned around
  groups,   // several runs a side: exchanged between the sides
  assumed,  // too few runs to see how much they differ: assumed_run_deviation
};

enum class Difference {
  nothing,
  faster,
  slower,           // but by no more than is allowed
  slower_too_much,  // by more
};

// The comparison of one size and placement. 0.07 means that the new time is 7 % longer.
struct Comparison {
  MeasuredRow row;
  std::string placement;
  std::optional<double> slower;        // none: not comparable
  std::optional<Interval> interval;    // of `slower`, 95 % for this row alone
  double p_value = 1;                  // of the finding, corrected for all rows
  std::optional<double> detectable;    // a slowdown that would be found with 80 %
  Difference finding = Difference::nothing;  // wrong in at most 5 % of all comparisons of equal runs
  bool drifts = false;                 // within one of the runs
  std::string why_not;                 // why it is not compared
};

struct ComparedSides {
  Design design = Design::assumed;
  std::vector<Comparison> rows;
  std::vector<std::string> notes;  // what the reader should know of these runs

  bool any_slower_too_much() const;
};

// Why two reports cannot be compared, such as "number of ranks: 4 and 8". Empty if they can.
std::vector<std::string> differences(const ReadReport& before, const ReadReport& after);

// Compares every row of the first report that all reports have. `allowed`, such as 0.02, is how
// much slower the second side may be. At least one report a side.
ComparedSides compare(const Sides& sides, double allowed);

// "slower by 7.0 % (95 % interval +5.0 to +9.0, p 0.004)", "faster by …", "no evidence (…)"
std::string to_string(const Comparison& comparison);

// "would have found, with 80 %, what is slower by 3.1 to 9.8 %"; empty if nothing was compared.
std::string power_of(const ComparedSides& compared);

}  // namespace slipway::bandwidth
