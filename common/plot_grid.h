// Lines of a plot's vertical axis, in SVG.
#pragma once

#include <functional>
#include <string>

namespace slipway {

struct GridEdges {
  double left = 0, right = 0;  // of the lines
  double gap = 0;              // between a label and its line
};

// A line and its label for each step from 0 to 1.05 times `largest`, which is positive, at the height
// that `y` gives. A step is 1, 2 or 5 times a power of ten, so that there are about four.
std::string grid_lines(double largest, const GridEdges& edges,
                       const std::function<double(double)>& y);

}  // namespace slipway
