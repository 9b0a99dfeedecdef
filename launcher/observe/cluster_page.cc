// Writes the page of a cluster.
#include "launcher/observe/cluster_page.h"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <map>

#include "common/count.h"
#include "common/host_list.h"
#include "common/markup.h"
#include "common/plot_grid.h"
#include "common/utc.h"
#include "launcher/observe/cluster_groups.h"

namespace slipway::observe {
namespace {

constexpr std::string_view page_style =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:76rem;margin:1.5rem auto;padding:0 1rem;"
    "color:#222;background:#fff}\n"
    "h1{font-size:1.5rem;margin:.2rem 0}h2{font-size:1.1rem;margin:1.6rem 0 .4rem}"
    "p{margin:.3rem 0}small{opacity:.8}\n"
    ".tiles{display:flex;flex-wrap:wrap;gap:.6rem;margin:1rem 0}.tiles div{border:1px solid #8886;"
    "border-radius:.4rem;padding:.4rem .9rem;min-width:6rem}.tiles b{display:block;"
    "font-size:1.5rem;line-height:1.3}\n"
    ".scroll{overflow-x:auto}table{border-collapse:collapse;white-space:nowrap}"
    "td,th{text-align:left;padding:.2rem 1.2rem .2rem 0;border-bottom:1px solid #8883}"
    ".text{white-space:normal;min-width:14rem}"
    ".number{text-align:right;font-variant-numeric:tabular-nums}\n"
    ".alert td:first-child{border-left:4px solid #e69f00;padding-left:.6rem}"
    ".alert.critical td:first-child{border-left-color:#c00}.bad{color:#c00;font-weight:600}"
    ".good{color:#007a5a}\n"
    ".charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(30rem,100%),1fr));"
    "gap:1rem 2rem}figure{margin:0;min-width:0}figcaption{font-weight:600}"
    "svg{width:100%;height:auto;display:block}svg text{fill:currentColor;font-size:13px}"
    ".grid{stroke:#8885}.keys{font-size:.85em;display:flex;flex-wrap:wrap;gap:.1rem 1rem}"
    ".key{display:inline-block;width:.8em;height:.8em;margin-right:.4em;border-radius:2px}\n"
    ".bar{display:flex;width:16rem;height:.9rem;border-radius:2px;overflow:hidden}\n"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}"
    ".bad{color:#ff6b6b}.alert.critical td:first-child{border-left-color:#ff6b6b}"
    ".good{color:#3ecf8e}}\n";

// Okabe and Ito's colors, which color-blind people can tell apart.
constexpr const char* curve_colors[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                        "#d55e00", "#56b4e9", "#8a8a8a"};
constexpr size_t most_curves = 12;  // more hide each other

constexpr double chart_width = 560, chart_height = 200, chart_left = 52, chart_right = 12,
                 chart_top = 12, chart_bottom = 26;

const std::map<std::string, const char*>& badput_colors() {
  static const std::map<std::string, const char*> colors = {
      {"WASTED_PROGRESS_FROM_DISRUPTION", "#d55e00"},
      {"INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION", "#cc79a7"},
      {"PROGRAM_STARTUP", "#e69f00"},
      {"OTHER", "#8a8a8a"}};
  return colors;
}

const char* color_of_curve(size_t place) {
  return curve_colors[place % std::size(curve_colors)];
}

std::string clock_text(int64_t time) {
  return utc_text(static_cast<std::time_t>(time), ' ').substr(11, 5);
}

// A range of whole values, such as 14 % to 100 %.
std::string cell(const std::optional<double>& value, double scale, const char* format_unit) {
  if (!value) return "<td class=\"number\">–</td>";
  return fmt::format("<td class=\"number\">{:.0f}{}</td>", *value * scale, format_unit);
}

std::string tile(const std::string& figure, const std::string& what) {
  return fmt::format("<div><b>{}</b>{}</div>", markup_escaped(figure), markup_escaped(what));
}

std::string tiles(const ClusterPage& page) {
  const auto fit =
      std::ranges::count_if(page.nodes, [](const NodeRow& row) { return row.fit.value_or(false); });
  double gpus = 0, watts = 0;
  for (const NodeRow& row : page.nodes) {
    gpus += row.gpus.value_or(0);
    watts += row.watts.value_or(0);
  }
  return "<div class=\"tiles\">" +
         tile(std::to_string(page.alerts.size()), page.alerts.size() == 1 ? "alert" : "alerts") +
         tile(fmt::format("{} of {}", fit, page.nodes.size()), "nodes fit for jobs") +
         tile(fmt::format("{:.0f}", gpus), "GPUs") +
         tile(fmt::format("{:.1f} kW", watts / 1000), "power of GPUs") +
         tile(std::to_string(page.jobs.size()), page.jobs.size() == 1 ? "job" : "jobs") +
         "</div>\n";
}

// "2026-01-31 12:00Z" from "2026-01-31T12:00:00Z".
std::string minute_text(const std::string& time) {
  constexpr size_t date = 10, minute = 16;
  if (time.size() < minute) return time;
  return fmt::format("{} {}Z", time.substr(0, date), time.substr(date + 1, minute - date - 1));
}

std::string alerts_table(const ClusterPage& page) {
  if (page.alerts.empty()) return "<p class=\"good\">No alert.</p>\n";
  std::string table =
      "<div class=\"scroll\"><table>\n<tr><th>alert</th><th>nodes</th><th>what</th>"
      "<th>since</th></tr>\n";
  for (const AlertGroup& group : grouped(page.alerts)) {
    std::string what = group.first.summary;
    if (group.count > 1) what += fmt::format("; and {} more like it", group.count - 1);
    table += fmt::format(
        "<tr class=\"alert {}\"><td>{}</td><td>{}</td><td class=\"text\">{}</td><td>{}</td></tr>\n",
        group.first.severity == "critical" ? "critical" : "other", markup_escaped(group.first.name),
        markup_escaped(host_list(group.nodes)), markup_escaped(what),
        markup_escaped(minute_text(group.first.since)));
  }
  return table + "</table></div>\n";
}

std::string nodes_table(const ClusterPage& page) {
  std::string table =
      "<div class=\"scroll\"><table>\n<tr><th>nodes</th><th>in Slurm</th><th>health</th>"
      "<th class=\"number\">GPUs</th><th class=\"number\">utilization</th>"
      "<th class=\"number\">hottest</th><th class=\"number\">power</th></tr>\n";
  for (const NodeGroup& group : grouped(page.nodes)) {
    const NodeRow& row = group.row;
    const char* const health = !row.fit   ? "<td>unknown</td>"
                               : *row.fit ? "<td class=\"good\">fit</td>"
                                          : "<td class=\"bad\">unfit</td>";
    std::string names = host_list(group.names);
    if (group.names.size() > 1) names += fmt::format(" ({})", counted(group.names.size(), "node"));
    table += fmt::format("<tr><td class=\"text\">{}</td><td>{}</td>{}{}{}{}{}</tr>\n",
                         markup_escaped(names), markup_escaped(row.state), health,
                         cell(row.gpus, 1, ""), cell(row.utilization, 100, " %"),
                         cell(row.celsius, 1, " °C"), cell(row.watts, 1, " W"));
  }
  return table + "</table></div>\n";
}

std::string time_bar(const JobRow& row) {
  double all = row.goodput_seconds;
  for (const auto& [type, seconds] : row.badput_seconds) all += seconds;
  if (all <= 0) return "";
  const auto part = [&](double seconds, const char* color, const std::string& what) {
    return fmt::format("<span style=\"width:{:.1f}%;background:{}\" title=\"{}: {:.0f} s\"></span>",
                       100 * seconds / all, color, markup_escaped(what), seconds);
  };
  std::string bar = "<div class=\"bar\">" + part(row.goodput_seconds, "#009e73", "goodput");
  for (const auto& [type, seconds] : row.badput_seconds) {
    const auto color = badput_colors().find(type);
    bar += part(seconds, color == badput_colors().end() ? "#8a8a8a" : color->second, type);
  }
  return bar + "</div>";
}

std::string jobs_table(const ClusterPage& page) {
  if (page.jobs.empty()) return "<p>No job runs.</p>\n";
  std::string table =
      "<div class=\"scroll\"><table>\n<tr><th>job</th><th>user</th><th class=\"number\">nodes</th>"
      "<th class=\"number\">spares</th><th class=\"number\">attempts</th>"
      "<th class=\"number\">step</th><th class=\"number\">goodput</th><th>time</th></tr>\n";
  for (const JobRow& row : page.jobs) {
    table += fmt::format("<tr><td>{}</td><td>{}</td>{}{}{}{}{}<td>{}</td></tr>\n",
                         markup_escaped(row.job), markup_escaped(row.user), cell(row.nodes, 1, ""),
                         cell(row.spares, 1, ""), cell(row.attempts, 1, ""), cell(row.step, 1, ""),
                         cell(row.goodput, 100, " %"), time_bar(row));
  }
  table +=
      "</table></div>\n<p class=\"keys\"><span><span class=\"key\" "
      "style=\"background:#009e73\"></span>goodput</span>";
  for (const auto& [type, color] : badput_colors()) {
    table += fmt::format("<span><span class=\"key\" style=\"background:{}\"></span>{}</span>",
                         color, type);
  }
  return table + "</p>\n";
}

class ChartDrawing {
 public:
  ChartDrawing(const Chart& chart, int64_t from, int64_t to)
      : chart_(chart), from_(static_cast<double>(from)), to_(static_cast<double>(to)) {
    for (const Curve& curve : chart.curves) {
      for (const auto& [time, value] : curve.points) most_ = std::max(most_, value * chart.scale);
    }
    if (most_ <= 0) most_ = 1;
  }

  std::string draw() const {
    std::string text = fmt::format(
        "<figure><figcaption>{}</figcaption>\n<svg viewBox=\"0 0 {} {}\" role=\"img\" "
        "aria-label=\"{}\">\n",
        markup_escaped(chart_.title), chart_width, chart_height, markup_escaped(chart_.title));
    text += grid();
    const size_t shown = std::min(chart_.curves.size(), most_curves);
    for (size_t i = 0; i < shown; ++i) text += curve(chart_.curves[i], color_of_curve(i));
    return text + "</svg>\n" + keys(shown) + "</figure>\n";
  }

 private:
  double x(double time) const {
    return chart_left +
           (chart_width - chart_left - chart_right) * (time - from_) / std::max(to_ - from_, 1.0);
  }
  double y(double value) const {
    return chart_top + (chart_height - chart_top - chart_bottom) * (1 - value / (1.05 * most_));
  }

  std::string grid() const {
    std::string text = grid_lines(most_, {chart_left, chart_width - chart_right, 6},
                                  [this](double value) { return y(value); });
    for (int i = 0; i <= 4; ++i) {
      const double time = from_ + (to_ - from_) * i / 4;
      const char* const anchor = i == 0 ? "start" : i == 4 ? "end" : "middle";
      text += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", x(time),
                          chart_height - 8, anchor, clock_text(static_cast<int64_t>(time)));
    }
    return text;
  }

  // A gap in the points is a gap in the curve.
  std::string curve(const Curve& curve, const char* color) const {
    const double longest = 3.0 * (to_ - from_) / 240 + 1;
    std::string text, points;
    double before = 0;
    const auto end_line = [&] {
      if (!points.empty()) {
        text += fmt::format(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"/>\n", points,
            color);
      }
      points.clear();
    };
    for (const auto& [time, value] : curve.points) {
      if (time - before > longest) end_line();
      points += fmt::format("{:.1f},{:.1f} ", x(time), y(value * chart_.scale));
      before = time;
    }
    end_line();
    return text;
  }

  std::string keys(size_t shown) const {
    std::string text = fmt::format("<div class=\"keys\"><span>{}</span>", chart_.unit);
    for (size_t i = 0; i < shown && !chart_.label.empty(); ++i) {
      const auto name = chart_.curves[i].labels.find(chart_.label);
      text += fmt::format(
          "<span><span class=\"key\" style=\"background:{}\"></span>{}</span>", color_of_curve(i),
          markup_escaped(name == chart_.curves[i].labels.end() ? "" : name->second));
    }
    if (chart_.curves.empty()) text += "<span>no data</span>";
    if (chart_.curves.size() > shown) {
      text += fmt::format("<span>and {} more</span>", chart_.curves.size() - shown);
    }
    return text + "</div>\n";
  }

  const Chart& chart_;
  double from_, to_;
  double most_ = 0;
};

}  // namespace

std::string chart_text(const Chart& chart, int64_t from, int64_t to) {
  return ChartDrawing(chart, from, to).draw();
}

std::string page_text(const ClusterPage& page) {
  std::string text = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\"><meta name=\"color-scheme\" "
      "content=\"light dark\"><title>Cluster</title>\n<style>\n{}</style></head>\n<body>\n"
      "<h1>Cluster</h1>\n<p><small>{} to {}</small></p>\n",
      page_style, utc_text(static_cast<std::time_t>(page.from), ' '),
      utc_text(static_cast<std::time_t>(page.to), ' '));
  text += tiles(page);
  text += "<h2>Alerts</h2>\n" + alerts_table(page);
  text += "<h2>Jobs</h2>\n" + jobs_table(page);
  text += "<h2>The last " + counted((page.to - page.from) / 60, "minute") +
          "</h2>\n<div class=\"charts\">\n";
  for (const Chart& chart : page.charts) text += chart_text(chart, page.from, page.to);
  text += "</div>\n<h2>Nodes</h2>\n" + nodes_table(page);
  return text + "</body></html>\n";
}

}  // namespace slipway::observe
