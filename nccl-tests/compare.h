// Comparing two reports: is the new run slower than the old one, and how sure is that?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nccl-tests/read_report.h"

namespace slipway::bandwidth {

// Of one size and placement. Shares are of the old time: 0.07 is slower by 7 %.
struct Comparison {
  MeasuredRow row;
  std::string placement;
  std::optional<double> slower;      // none: not comparable
  std::optional<Interval> interval;  // of `slower`, 95 %
  std::string why_not;               // where there is no interval
};

// What two reports differ in that must be the same: "number of ranks: 4 and 8". Empty: alike.
std::vector<std::string> differences(const ReadReport& before, const ReadReport& after);

// For every row of `before`, by size, type, reduction and root. The interval of the ratio of two
// medians comes from the intervals of both, on a logarithmic scale, as Price and Bonett (2002) do.
std::vector<Comparison> compare(const ReadReport& before, const ReadReport& after);

// "slower by 7.0 % (95 % interval 5.0 to 9.0)", "faster by …", "no evidence (…)"
std::string to_string(const Comparison& comparison);

// Whether the whole interval lies beyond `allowed`, a share.
bool is_slower(const Comparison& comparison, double allowed);

}  // namespace slipway::bandwidth
