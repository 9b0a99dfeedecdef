// A picture of reports: bandwidth over size, as SVG, without any library.
#include "nccl-tests/plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

#include "common/markup.h"

namespace slipway::bandwidth {
namespace {

constexpr double width = 840, height = 520;
constexpr double left = 80, right = 24, top = 56, bottom = 64;

// Colours that are told apart without red and green: Okabe and Ito (2008).
constexpr std::array<const char*, 6> colours = {"#0072b2", "#d55e00", "#009e73",
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

// "64M": sizes as they are asked for.
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

// Both axes, from powers of two, or of ten, that hold all.
class Axes {
 public:
  Axes(const std::vector<Line>& lines, const std::vector<ExpectedPoint>& expected) {
    for (const Line& line : lines) {
      for (const Point& point : line.points) take_in(point.size, point.low, point.high);
    }
    for (const ExpectedPoint& point : expected) {
      take_in(static_cast<double>(point.size_bytes), point.busbw_gb_per_s, point.busbw_gb_per_s);
    }
    first_size_ = std::floor(std::log2(least_size_));
    last_size_ = std::max(first_size_ + 1, std::ceil(std::log2(most_size_)));
    first_decade_ = std::floor(std::log10(least_));
    last_decade_ = std::max(first_decade_ + 1, std::ceil(std::log10(most_)));
  }

  double x(double size) const {
    const double share = (std::log2(size) - first_size_) / (last_size_ - first_size_);
    return left + share * (width - left - right);
  }
  double y(double busbw) const {
    const double share = (std::log10(busbw) - first_decade_) / (last_decade_ - first_decade_);
    return height - bottom - share * (height - top - bottom);
  }

  std::string draw() const {
    std::string svg;
    const double step = last_size_ - first_size_ > 12 ? 4 : 1;
    for (double power = first_size_; power <= last_size_; power += step) {
      const double at = x(std::exp2(power));
      svg += fmt::format(R"(<path class="grid" d="M{:.1f} {:.1f}V{:.1f}"/>)"
                         R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)"
                         "\n",
                         at, top, height - bottom, at, height - bottom + 20,
                         size_name(std::exp2(power)));
    }
    for (double decade = first_decade_; decade <= last_decade_; ++decade) {
      const double at = y(std::pow(10, decade));
      svg += fmt::format(R"(<path class="grid" d="M{:.1f} {:.1f}H{:.1f}"/>)"
                         R"(<text x="{:.1f}" y="{:.1f}" text-anchor="end">{:g}</text>)"
                         "\n",
                         left, at, width - right, left - 8, at + 4, std::pow(10, decade));
    }
    svg += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle">size (bytes)</text>)"
                       "\n",
                       (left + width - right) / 2, height - 18);
    svg += fmt::format(R"(<text x="20" y="{0:.1f}" text-anchor="middle" )"
                       R"svg(transform="rotate(-90 20 {0:.1f})">busbw (GB/s)</text>)svg"
                       "\n",
                       (top + height - bottom) / 2);
    return svg;
  }

 private:
  void take_in(double size, double low, double high) {
    least_size_ = std::min(least_size_, size);
    most_size_ = std::max(most_size_, size);
    least_ = std::min(least_, low);
    most_ = std::max(most_, high);
  }

  double least_size_ = 1e18, most_size_ = 1, least_ = 1e18, most_ = 1e-9;
  double first_size_ = 0, last_size_ = 1, first_decade_ = 0, last_decade_ = 1;
};

std::string draw(const Line& line, const Axes& axes, const char* colour) {
  std::string path, band, way_back;
  for (const Point& point : line.points) {
    const double x = axes.x(point.size);
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x, axes.y(point.busbw));
    band += fmt::format("{}{:.1f} {:.1f}", band.empty() ? "M" : "L", x, axes.y(point.high));
    way_back.insert(0, fmt::format("L{:.1f} {:.1f}", x, axes.y(point.low)));
  }
  std::string svg =
      fmt::format("<path d=\"{}{}Z\" fill=\"{}\" fill-opacity=\"0.2\"/>\n", band, way_back, colour);
  svg += fmt::format("<path class=\"line\" d=\"{}\" stroke=\"{}\"/>\n", path, colour);
  for (const Point& point : line.points) {
    svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"{}\"/>\n",
                       axes.x(point.size), axes.y(point.busbw), colour);
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
  // One point alone is a short line: a path of no length is not seen.
  if (expected.size() == 1) path += "h12";
  return fmt::format("<path class=\"expected\" d=\"{}\"/>\n", path);
}

std::string legend(const std::vector<Line>& lines, bool has_expected) {
  std::string svg;
  double y = 18;
  for (size_t i = 0; i < lines.size(); ++i, y += 15) {
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" style=\"fill:{}\">{}</text>\n", left, y,
                       colours[i % colours.size()], markup_escaped(lines[i].name));
  }
  if (has_expected) {
    svg += fmt::format("<text x=\"{:.1f}\" y=\"18\" text-anchor=\"end\">dashed: expected</text>\n",
                       width - right);
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
  const Axes axes(lines, expected);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
      "height=\"{1:g}\">\n<style>text{{font:12px sans-serif;fill:#333}}"
      ".grid{{stroke:#ddd;fill:none}}.line{{fill:none;stroke-width:1.8}}"
      ".expected{{fill:none;stroke:#333;stroke-dasharray:6 4}}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height);
  svg += axes.draw();
  if (!expected.empty()) svg += draw(expected, axes);
  for (size_t i = 0; i < lines.size(); ++i) {
    svg += draw(lines[i], axes, colours[i % colours.size()]);
  }
  return svg + legend(lines, !expected.empty()) + "</svg>\n";
}

}  // namespace slipway::bandwidth
