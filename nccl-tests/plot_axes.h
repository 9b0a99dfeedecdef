// The axes of a plot of bandwidth over size.
#pragma once

#include <string>
#include <vector>

#include "nccl-tests/read_report.h"

namespace slipway::bandwidth {

// The picture in pixels, and its margins.
constexpr double plot_width = 840, plot_height = 520;
constexpr double plot_left = 80, plot_right = 24, plot_bottom = 64;

struct PlotPoint {
  double size = 0;           // bytes
  double busbw = 0;          // GB/s
  double low = 0, high = 0;  // of busbw; equal to it where no interval is known
};

struct PlotLine {
  std::string name;
  std::vector<PlotPoint> points;
};

// Both axes are logarithmic: sizes between powers of two, bandwidths between ticks of 1, 2 and 5.
// All medians and expected figures are between the ticks. Intervals stretch the axis by no more
// than a factor of two on each side: a few wide ones would leave the lines no height.
class PlotAxes {
 public:
  // `top` is where the area begins, in pixels.
  PlotAxes(const std::vector<PlotLine>& lines, const std::vector<ExpectedPoint>& expected,
           double top);

  double x(double size) const;
  double y(double busbw) const;  // at the edge of the area for what is beyond it
  double top() const { return top_; }
  bool is_below(double busbw) const { return busbw < first_tick_ * (1 - 1e-5); }
  bool is_above(double busbw) const { return busbw > last_tick_ * (1 + 1e-5); }

  std::string draw() const;  // as SVG

 private:
  void take_in(double size, double busbw);
  std::vector<double> labeled_sizes() const;

  double least_size_ = 1e18, most_size_ = 1, least_ = 1e18, most_ = 1e-9;
  double first_size_ = 0, last_size_ = 1, first_tick_ = 1, last_tick_ = 10;
  double top_ = 0;
};

}  // namespace slipway::bandwidth
