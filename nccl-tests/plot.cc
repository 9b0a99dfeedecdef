// Draws reports of the bandwidth tests as SVG: bandwidth over size.
#include "nccl-tests/plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

#include "common/markup.h"

namespace slipway::bandwidth {
namespace {

constexpr double width = 840, height = 520;
constexpr double left = 80, right = 24, bottom = 64;
constexpr double title_height = 44, legend_line_height = 16;

// Colors that readers who confuse red and green can distinguish: Okabe and Ito (2008).
constexpr std::array<const char*, 6> colors = {"#0072b2", "#d55e00", "#009e73",
                                               "#cc79a7", "#e69f00", "#56b4e9"};

struct Point {
  double size = 0;
  double busbw = 0;
  double low = 0, high = 0;  // of busbw; equal to it where no interval is known
};

struct Line {
  std::string name;
  std::vector<Point> points;
};

// "64M": a size in the notation of the command line.
std::string size_name(double bytes) {
  constexpr std::array<const char*, 5> units = {"", "K", "M", "G", "T"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
  return fmt::format("{:g}{}", bytes, units[unit]);
}

std::vector<Line> lines_of(const std::vector<ReadReport>& reports) {
  std::vector<Line> lines;
  for (const ReadReport& report : reports) {
    for (size_t place = 0; place < 2; ++place) {
      Line line;
      for (const MeasuredRow& row : report.rows) {
        const Measured& one = row.placements[place];
        if (row.size_bytes <= 0 || one.busbw_gb_per_s <= 0) continue;
        Point point{static_cast<double>(row.size_bytes), one.busbw_gb_per_s, one.busbw_gb_per_s,
                    one.busbw_gb_per_s};
        if (one.interval_us && one.interval_us->low > 0) {
          // Bandwidth is the inverse of time.
          point.low = one.busbw_gb_per_s * one.median_us / one.interval_us->high;
          point.high = one.busbw_gb_per_s * one.median_us / one.interval_us->low;
        }
        line.points.push_back(point);
        line.name = fmt::format("{} {}, {}", report.collective, one.placement, report.name);
      }
      std::ranges::sort(line.points, {}, &Point::size);
      if (!line.points.empty()) lines.push_back(std::move(line));
    }
  }
  return lines;
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

// Both axes are logarithmic: sizes between powers of two, bandwidths between ticks of 1, 2 and 5.
class Axes {
 public:
  Axes(const std::vector<Line>& lines, const std::vector<ExpectedPoint>& expected, double top)
      : top_(top) {
    for (const Line& line : lines) {
      for (const Point& point : line.points) take_in(point.size, point.low, point.high);
    }
    for (const ExpectedPoint& point : expected) {
      take_in(static_cast<double>(point.size_bytes), point.busbw_gb_per_s, point.busbw_gb_per_s);
    }
    first_size_ = std::floor(std::log2(least_size_));
    last_size_ = std::max(first_size_ + 1, std::ceil(std::log2(most_size_)));
    first_tick_ = tick_below(least_);
    last_tick_ = std::max(tick_above(first_tick_), tick_above(most_ * (1 - 1e-9)));
  }

  double x(double size) const {
    const double share = (std::log2(size) - first_size_) / (last_size_ - first_size_);
    return left + share * (width - left - right);
  }
  double y(double busbw) const {
    const double share = std::log(busbw / first_tick_) / std::log(last_tick_ / first_tick_);
    return height - bottom - share * (height - top_ - bottom);
  }

  std::string draw() const {
    std::string svg;
    for (const double power : labeled_sizes()) {
      const double at = x(std::exp2(power));
      svg += fmt::format(R"(<path class="grid" d="M{:.1f} {:.1f}V{:.1f}"/>)"
                         R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)"
                         "\n",
                         at, top_, height - bottom, at, height - bottom + 20,
                         size_name(std::exp2(power)));
    }
    for (double tick = first_tick_; tick <= last_tick_ * (1 + 1e-9); tick = tick_above(tick)) {
      const double at = y(tick);
      svg += fmt::format(R"(<path class="grid" d="M{:.1f} {:.1f}H{:.1f}"/>)"
                         R"(<text x="{:.1f}" y="{:.1f}" text-anchor="end">{:g}</text>)"
                         "\n",
                         left, at, width - right, left - 8, at + 4, tick);
    }
    svg += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle">size (bytes)</text>)"
                       "\n",
                       (left + width - right) / 2, height - 18);
    svg += fmt::format(R"(<text x="20" y="{0:.1f}" text-anchor="middle" )"
                       R"svg(transform="rotate(-90 20 {0:.1f})">busbw (GB/s)</text>)svg"
                       "\n",
                       (top_ + height - bottom) / 2);
    return svg;
  }

 private:
  void take_in(double size, double low, double high) {
    least_size_ = std::min(least_size_, size);
    most_size_ = std::max(most_size_, size);
    least_ = std::min(least_, low);
    most_ = std::max(most_, high);
  }

  // The first and the last size have a label, and as many between them as fit beside each other.
  std::vector<double> labeled_sizes() const {
    const double step = std::ceil((last_size_ - first_size_) / 12);
    std::vector<double> labels;
    for (double power = first_size_; power <= last_size_ - step; power += step)
      labels.push_back(power);
    labels.push_back(last_size_);
    return labels;
  }

  double least_size_ = 1e18, most_size_ = 1, least_ = 1e18, most_ = 1e-9;
  double first_size_ = 0, last_size_ = 1, first_tick_ = 1, last_tick_ = 10;
  double top_ = 0;
};

std::string draw(const Line& line, const Axes& axes, const char* color) {
  std::string path, band, way_back;
  for (const Point& point : line.points) {
    const double x = axes.x(point.size);
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x, axes.y(point.busbw));
    band += fmt::format("{}{:.1f} {:.1f}", band.empty() ? "M" : "L", x, axes.y(point.high));
    way_back.insert(0, fmt::format("L{:.1f} {:.1f}", x, axes.y(point.low)));
  }
  std::string svg =
      fmt::format("<path d=\"{}{}Z\" fill=\"{}\" fill-opacity=\"0.2\"/>\n", band, way_back, color);
  svg += fmt::format("<path class=\"line\" d=\"{}\" stroke=\"{}\"/>\n", path, color);
  for (const Point& point : line.points) {
    svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"{}\"/>\n",
                       axes.x(point.size), axes.y(point.busbw), color);
  }
  return svg;
}

std::string draw(const std::vector<ExpectedPoint>& expected, const Axes& axes) {
  std::string path;
  for (const ExpectedPoint& point : expected) {
    const double x = axes.x(static_cast<double>(point.size_bytes));
    path +=
        fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x, axes.y(point.busbw_gb_per_s));
  }
  // One point alone becomes a short line: a path without length is invisible.
  if (expected.size() == 1) path += "h12";
  return fmt::format("<path class=\"expected\" d=\"{}\"/>\n", path);
}

// "all_gather on 4 nodes, tcp enp0s12", and a line with the verdict of each report.
std::string title_of(const ReadReport& report) {
  const auto value = [&](std::string_view name) {
    const auto found =
        std::ranges::find(report.likeness, name, &std::pair<std::string, std::string>::first);
    return found == report.likeness.end() ? std::string() : found->second;
  };
  const std::string nodes = value("number of nodes"), transport = value("transport");
  std::string title =
      fmt::format("{} on {} node{}", report.collective, nodes, nodes == "1" ? "" : "s");
  if (!transport.empty() && transport != "null") title += ", " + transport;
  return title;
}

std::string head(const std::vector<ReadReport>& reports) {
  std::string verdicts;
  for (const ReadReport& report : reports) {
    verdicts += fmt::format("{}{}: {}", verdicts.empty() ? "" : "; ", report.name, report.verdict);
  }
  return fmt::format(
      "<text class=\"title\" x=\"{0:.1f}\" y=\"20\">{1}</text>\n"
      "<text x=\"{0:.1f}\" y=\"37\">{2}</text>\n",
      left, markup_escaped(title_of(reports.front())), markup_escaped(verdicts));
}

std::string legend(const std::vector<Line>& lines, bool has_expected) {
  std::string svg;
  double y = title_height + legend_line_height / 2;
  for (size_t i = 0; i < lines.size(); ++i, y += legend_line_height) {
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" style=\"fill:{}\">{}</text>\n", left, y,
                       colors[i % colors.size()], markup_escaped(lines[i].name));
  }
  if (has_expected) {
    svg +=
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">dashed: expected</text>\n",
                    width - right, title_height + legend_line_height / 2);
  }
  return svg;
}

}  // namespace

std::string plot(const std::vector<ReadReport>& reports) {
  std::vector<ExpectedPoint> expected;
  for (const ReadReport& report : reports) {
    expected.insert(expected.end(), report.expected.begin(), report.expected.end());
  }
  std::ranges::sort(expected, {}, &ExpectedPoint::size_bytes);
  const std::vector<Line> lines = lines_of(reports);
  const double top = title_height + legend_line_height * static_cast<double>(lines.size() + 1);
  const Axes axes(lines, expected, top);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
      "height=\"{1:g}\">\n<style>text{{font:12px sans-serif;fill:#333}}"
      ".title{{font-size:15px;font-weight:bold}}.grid{{stroke:#ddd;fill:none}}.line{{fill:none;"
      "stroke-width:1.8}}"
      ".expected{{fill:none;stroke:#333;stroke-dasharray:6 4}}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height);
  svg += head(reports) + axes.draw();
  if (!expected.empty()) svg += draw(expected, axes);
  for (size_t i = 0; i < lines.size(); ++i) {
    svg += draw(lines[i], axes, colors[i % colors.size()]);
  }
  return svg + legend(lines, !expected.empty()) + "</svg>\n";
}

}  // namespace slipway::bandwidth
