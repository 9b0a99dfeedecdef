// Compares two reports: is the new run slower than the old one, and how certain is that?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nccl-tests/read_report.h"

namespace slipway::bandwidth {

// The comparison of one size and placement. 0.07 means that the new time is 7 % longer.
struct Comparison {
  MeasuredRow row;
  std::string placement;
  std::optional<double> slower;      // none: not comparable
  std::optional<Interval> interval;  // of `slower`, 95 %
  std::string why_not;               // why there is no interval
};

// Why two reports cannot be compared, such as "number of ranks: 4 and 8". Empty if they can.
std::vector<std::string> differences(const ReadReport& before, const ReadReport& after);

// Compares every row of `before` with the row of the same size, type, reduction and root. The
// interval of the ratio of two medians follows from the intervals of both on a logarithmic scale
// (Price and Bonett, 2002).
std::vector<Comparison> compare(const ReadReport& before, const ReadReport& after);

// "slower by 7.0 % (95 % interval 5.0 to 9.0)", "faster by …", "no evidence (…)"
std::string to_string(const Comparison& comparison);

// Whether the whole interval is above `allowed`, a share such as 0.02.
bool is_slower(const Comparison& comparison, double allowed);

}  // namespace slipway::bandwidth
