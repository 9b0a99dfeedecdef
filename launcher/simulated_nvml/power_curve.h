// The power of a simulated GPU over time, for tests of what adds up energy: straight lines between
// points, again and again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace slipway::simulated_nvml {

struct PowerPoint {
  double seconds = 0;  // since the begin of the curve, which the last point ends
  double watts = 0;
};

// At least two, the first at 0 seconds, each after the one before.
using PowerCurve = std::vector<PowerPoint>;

inline bool is_power_curve(const PowerCurve& curve) {
  bool is_one = curve.size() >= 2 && curve.front().seconds == 0;
  for (size_t i = 1; is_one && i < curve.size(); ++i)
    is_one = curve[i].seconds > curve[i - 1].seconds;
  for (const PowerPoint& point : curve) is_one = is_one && point.watts >= 0;
  return is_one;
}

inline double watts_between(const PowerPoint& a, const PowerPoint& b, double seconds) {
  return a.watts + (b.watts - a.watts) * (seconds - a.seconds) / (b.seconds - a.seconds);
}

// How often the curve has ended by then. Not by <cmath>: images of containers may lack libm.
inline double whole_curves(const PowerCurve& curve, double seconds) {
  return static_cast<double>(static_cast<int64_t>(seconds / curve.back().seconds));
}

inline double watts_at(const PowerCurve& curve, double seconds) {
  const double in_curve = seconds - whole_curves(curve, seconds) * curve.back().seconds;
  size_t next = 1;
  while (next + 1 < curve.size() && curve[next].seconds < in_curve) ++next;
  return watts_between(curve[next - 1], curve[next], in_curve);
}

// From 0 seconds on.
inline double joules_until(const PowerCurve& curve, double seconds) {
  const double whole = whole_curves(curve, seconds);
  const double rest = seconds - whole * curve.back().seconds;
  double of_whole = 0, of_rest = 0;
  for (size_t next = 1; next < curve.size(); ++next) {
    const PowerPoint &a = curve[next - 1], &b = curve[next];
    of_whole += (a.watts + b.watts) / 2 * (b.seconds - a.seconds);
    const double end = std::min(b.seconds, rest);
    if (end > a.seconds) of_rest += (a.watts + watts_between(a, b, end)) / 2 * (end - a.seconds);
  }
  return whole * of_whole + of_rest;
}

}  // namespace slipway::simulated_nvml
