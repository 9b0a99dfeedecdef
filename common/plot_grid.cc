// Draws the lines of a plot's vertical axis.
#include "common/plot_grid.h"

#include <fmt/core.h>

#include <cmath>

namespace slipway {
namespace {

double grid_step(double largest) {
  const double power = std::pow(10, std::floor(std::log10(largest / 4)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (largest / (factor * power) <= 5) return factor * power;
  }
  return 10 * power;
}

}  // namespace

std::string grid_lines(double largest, const GridEdges& edges,
                       const std::function<double(double)>& y) {
  std::string lines;
  const double step = grid_step(largest);
  for (double value = 0; value <= 1.05 * largest; value += step) {
    lines += fmt::format(
        "<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>"
        "<text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5:g}</text>\n",
        edges.left, edges.right, y(value), edges.left - edges.gap, y(value) + 4, value);
  }
  return lines;
}

}  // namespace slipway
