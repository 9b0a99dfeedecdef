// The axes of a plot: what they span, and their ticks and labels.
#include "nccl-tests/plot_axes.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

namespace slipway::bandwidth {
namespace {

constexpr double most_stretch = 2;  // of the vertical axis, by intervals

// "64M": a size in the notation of the command line.
std::string size_name(double bytes) {
  constexpr std::array<const char*, 5> units = {"", "K", "M", "G", "T"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
  return fmt::format("{:g}{}", bytes, units[unit]);
}

// The largest of 1, 2 and 5 times a power of ten that is at most `value`, and the next one above.
double tick_below(double value) {
  const double decade = std::pow(10, std::floor(std::log10(value)));
  double tick = decade;
  for (const double step : {2.0, 5.0, 10.0}) {
    if (step * decade <= value * (1 + 1e-9)) tick = step * decade;
  }
  return tick;
}
double tick_above(double value) {
  const double below = tick_below(value);
  const bool is_two =
      std::fabs(below / std::pow(10, std::floor(std::log10(below) + 1e-9)) - 2) < 0.1;
  return is_two ? below * 2.5 : below * 2;
}

}  // namespace

PlotAxes::PlotAxes(const std::vector<PlotLine>& lines, const std::vector<ExpectedPoint>& expected,
                   double top)
    : top_(top) {
  for (const PlotLine& line : lines) {
    for (const PlotPoint& point : line.points) take_in(point.size, point.busbw);
  }
  for (const ExpectedPoint& point : expected)
    take_in(static_cast<double>(point.size_bytes), point.busbw_gb_per_s);
  const double floor = least_ / most_stretch, ceiling = most_ * most_stretch;
  for (const PlotLine& line : lines) {
    for (const PlotPoint& point : line.points) {
      least_ = std::min(least_, std::max(point.low, floor));
      most_ = std::max(most_, std::min(point.high, ceiling));
    }
  }
  first_size_ = std::floor(std::log2(least_size_));
  last_size_ = std::max(first_size_ + 1, std::ceil(std::log2(most_size_)));
  first_tick_ = tick_below(least_);
  last_tick_ = std::max(tick_above(first_tick_), tick_above(most_ * (1 - 1e-6)));
}

double PlotAxes::x(double size) const {
  const double share = (std::log2(size) - first_size_) / (last_size_ - first_size_);
  return plot_left + share * (plot_width - plot_left - plot_right);
}

double PlotAxes::y(double busbw) const {
  const double shown = std::clamp(busbw, first_tick_, last_tick_);
  const double share = std::log(shown / first_tick_) / std::log(last_tick_ / first_tick_);
  return plot_height - plot_bottom - share * (plot_height - top_ - plot_bottom);
}

std::string PlotAxes::draw() const {
  std::string svg;
  for (const double power : labeled_sizes()) {
    const double at = x(std::exp2(power));
    svg += fmt::format(R"(<path class="grid" d="M{:.1f} {:.1f}V{:.1f}"/>)"
                       R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)"
                       "\n",
                       at, top_, plot_height - plot_bottom, at, plot_height - plot_bottom + 20,
                       size_name(std::exp2(power)));
  }
  for (double tick = first_tick_; tick <= last_tick_ * (1 + 1e-9); tick = tick_above(tick)) {
    const double at = y(tick);
    svg += fmt::format(R"(<path class="grid" d="M{:.1f} {:.1f}H{:.1f}"/>)"
                       R"(<text x="{:.1f}" y="{:.1f}" text-anchor="end">{:g}</text>)"
                       "\n",
                       plot_left, at, plot_width - plot_right, plot_left - 8, at + 4, tick);
  }
  svg += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle">size (bytes)</text>)"
                     "\n",
                     (plot_left + plot_width - plot_right) / 2, plot_height - 18);
  svg += fmt::format(R"(<text x="20" y="{0:.1f}" text-anchor="middle" )"
                     R"svg(transform="rotate(-90 20 {0:.1f})">busbw (GB/s)</text>)svg"
                     "\n",
                     (top_ + plot_height - plot_bottom) / 2);
  return svg;
}

void PlotAxes::take_in(double size, double busbw) {
  least_size_ = std::min(least_size_, size);
  most_size_ = std::max(most_size_, size);
  least_ = std::min(least_, busbw);
  most_ = std::max(most_, busbw);
}

// The first and the last size have a label, and as many between them as fit beside each other.
std::vector<double> PlotAxes::labeled_sizes() const {
  const double step = std::ceil((last_size_ - first_size_) / 12);
  std::vector<double> labels;
  for (double power = first_size_; power <= last_size_ - step; power += step)
    labels.push_back(power);
  labels.push_back(last_size_);
  return labels;
}

}  // namespace slipway::bandwidth
