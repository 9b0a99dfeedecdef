// Draws reports of the bandwidth tests as SVG: bandwidth over size.
#include "nccl-tests/plot.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "common/markup.h"
#include "nccl-tests/plot_axes.h"

namespace slipway::bandwidth {
namespace {

constexpr double title_height = 44, legend_line_height = 16;

// Colors that readers who confuse red and green can distinguish: Okabe and Ito (2008).
constexpr std::array<const char*, 6> colors = {"#0072b2", "#d55e00", "#009e73",
                                               "#cc79a7", "#e69f00", "#56b4e9"};

std::vector<PlotLine> lines_of(const std::vector<ReadReport>& reports) {
  std::vector<PlotLine> lines;
  for (const ReadReport& report : reports) {
    for (size_t place = 0; place < 2; ++place) {
      PlotLine line;
      for (const MeasuredRow& row : report.rows) {
        const Measured& one = row.placements[place];
        if (row.size_bytes <= 0 || one.busbw_gb_per_s <= 0) continue;
        PlotPoint point{static_cast<double>(row.size_bytes), one.busbw_gb_per_s, one.busbw_gb_per_s,
                        one.busbw_gb_per_s};
        if (one.interval_us && one.interval_us->low > 0) {
          // Bandwidth is the inverse of time.
          point.low = one.busbw_gb_per_s * one.median_us / one.interval_us->high;
          point.high = one.busbw_gb_per_s * one.median_us / one.interval_us->low;
        }
        line.points.push_back(point);
        line.name = fmt::format("{} {}, {}", report.collective, one.placement, report.name);
      }
      std::ranges::sort(line.points, {}, &PlotPoint::size);
      if (!line.points.empty()) lines.push_back(std::move(line));
    }
  }
  return lines;
}

// A triangle at the edge of the area where an interval continues beyond it.
std::string draw_clipped(const PlotPoint& point, const PlotAxes& axes, const char* color) {
  std::string svg;
  const auto triangle = [&](double busbw, int direction) {
    svg += fmt::format(R"(<path class="beyond" d="M{:.1f} {:.1f}l-4 {}h8Z" fill="{}"/>)"
                       "\n",
                       axes.x(point.size), axes.y(busbw), direction * 7, color);
  };
  if (axes.is_above(point.high)) triangle(point.high, 1);
  if (axes.is_below(point.low)) triangle(point.low, -1);
  return svg;
}

bool is_clipped(const std::vector<PlotLine>& lines, const PlotAxes& axes) {
  return std::ranges::any_of(lines, [&](const PlotLine& line) {
    return std::ranges::any_of(line.points, [&](const PlotPoint& point) {
      return axes.is_above(point.high) || axes.is_below(point.low);
    });
  });
}

std::string draw(const PlotLine& line, const PlotAxes& axes, const char* color) {
  std::string path, band, way_back;
  for (const PlotPoint& point : line.points) {
    const double x = axes.x(point.size);
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x, axes.y(point.busbw));
    band += fmt::format("{}{:.1f} {:.1f}", band.empty() ? "M" : "L", x, axes.y(point.high));
    way_back.insert(0, fmt::format("L{:.1f} {:.1f}", x, axes.y(point.low)));
  }
  std::string svg =
      fmt::format("<path d=\"{}{}Z\" fill=\"{}\" fill-opacity=\"0.2\"/>\n", band, way_back, color);
  svg += fmt::format("<path class=\"line\" d=\"{}\" stroke=\"{}\"/>\n", path, color);
  for (const PlotPoint& point : line.points) {
    svg += draw_clipped(point, axes, color);
    svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"{}\"/>\n",
                       axes.x(point.size), axes.y(point.busbw), color);
  }
  return svg;
}

std::string draw(const std::vector<ExpectedPoint>& expected, const PlotAxes& axes) {
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
      plot_left, markup_escaped(title_of(reports.front())), markup_escaped(verdicts));
}

// The lines by their colors, and what else needs an explanation.
std::string legend(const std::vector<PlotLine>& lines, const std::vector<std::string>& notes) {
  std::string svg;
  double y = title_height + legend_line_height / 2;
  for (size_t i = 0; i < lines.size(); ++i, y += legend_line_height) {
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" style=\"fill:{}\">{}</text>\n", plot_left,
                       y, colors[i % colors.size()], markup_escaped(lines[i].name));
  }
  y = title_height + legend_line_height / 2;
  for (const std::string& note : notes) {
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
                       plot_width - plot_right, y, note);
    y += legend_line_height;
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
  const std::vector<PlotLine> lines = lines_of(reports);
  const double top = title_height + legend_line_height * static_cast<double>(lines.size() + 1);
  const PlotAxes axes(lines, expected, top);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
      "height=\"{1:g}\">\n<style>text{{font:12px sans-serif;fill:#333}}"
      ".title{{font-size:15px;font-weight:bold}}.grid{{stroke:#ddd;fill:none}}.line{{fill:none;"
      "stroke-width:1.8}}"
      ".expected{{fill:none;stroke:#333;stroke-dasharray:6 4}}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      plot_width, plot_height);
  svg += head(reports) + axes.draw();
  if (!expected.empty()) svg += draw(expected, axes);
  for (size_t i = 0; i < lines.size(); ++i) {
    svg += draw(lines[i], axes, colors[i % colors.size()]);
  }
  std::vector<std::string> notes;
  if (!expected.empty()) notes.emplace_back("dashed: expected");
  if (is_clipped(lines, axes)) notes.emplace_back("triangle: the interval continues");
  return svg + legend(lines, notes) + "</svg>\n";
}

}  // namespace slipway::bandwidth
