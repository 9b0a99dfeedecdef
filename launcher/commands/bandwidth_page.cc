// `slipway bandwidth history --html`: the plots, as one page.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "common/count.h"
#include "common/markup.h"
#include "common/plot_grid.h"
#include "common/text.h"
#include "launcher/commands/bandwidth_report.h"

namespace slipway::commands {
namespace {

using history::Series;
using history::Trend;

constexpr std::string_view bandwidth_style =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;"
    "color:#222;background:#fff}\n"
    "table{border-collapse:collapse;margin:1rem 0}td,th{text-align:left;padding:.15rem 1.2rem "
    ".15rem 0}\n.number{text-align:right}.slower{color:#c00}small{opacity:.8}\n"
    "svg{width:100%;height:auto;display:block}svg text{fill:currentColor;font-size:13px}\n"
    ".grid{stroke:#8886}.version{stroke:#e69f00;stroke-dasharray:4 3}.baseline{stroke:#c00;"
    "stroke-dasharray:2 4}\n"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}.slower{color:#ff6b6b}"
    ".baseline{stroke:#ff6b6b}}\n";

// Okabe and Ito's colors, which color-blind people can tell apart.
constexpr std::array<const char*, 5> line_colors = {"#0072b2", "#009e73", "#cc79a7", "#d55e00",
                                                    "#56b4e9"};

constexpr double plot_width = 960, plot_height = 300, left_edge = 64, right_edge = 200,
                 top_edge = 28, bottom_edge = 34;
// Closer numbers of changed versions would touch, and are written as "1-3".
constexpr double label_width = 30;

// The largest sizes, one placement each: more lines would hide each other.
std::vector<const Series*> shown_series(const Trend& trend) {
  std::vector<const Series*> shown;
  for (auto one = trend.series.rbegin(); one != trend.series.rend(); ++one) {
    if (one->size_bytes == 0 || one->what.ends_with("in place")) continue;
    const bool known = std::ranges::any_of(
        shown, [&](const Series* other) { return other->size_bytes == one->size_bytes; });
    if (!known && shown.size() < line_colors.size()) shown.push_back(&*one);
  }
  return shown;
}

class TrendPlot {
 public:
  explicit TrendPlot(const Trend& trend) : trend_(trend), shown_(shown_series(trend)) {
    for (const Series* series : shown_)
      most_ = std::max(most_, *std::ranges::max_element(series->busbw_gb_per_s));
  }

  std::string draw() const {
    if (shown_.empty()) return "";
    std::string svg = fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n",
                                  plot_width, plot_height, markup_escaped(title_of(trend_)));
    svg += grid() + versions();
    for (size_t i = 0; i < shown_.size(); ++i) svg += line(*shown_[i], line_colors[i], i);
    return svg + "</svg>\n";
  }

 private:
  double x(size_t run) const {
    const double width = plot_width - left_edge - right_edge;
    const auto last = static_cast<double>(std::max<size_t>(trend_.runs.size(), 2) - 1);
    return left_edge + width * static_cast<double>(run) / last;
  }
  double y(double gb_per_s) const {
    const double height = plot_height - top_edge - bottom_edge;
    return top_edge + height * (1 - gb_per_s / (1.05 * most_));
  }

  std::string grid() const {
    std::string text = grid_lines(most_, {left_edge, plot_width - right_edge, 8},
                                  [this](double value) { return y(value); });
    text += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">GB/s</text>\n", left_edge - 8,
                        top_edge - 12);
    const std::string first = trend_.runs.front().started.substr(0, 10),
                      last = trend_.runs.back().started.substr(0, 10);
    text += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", left_edge, plot_height - 10,
                        markup_escaped(first));
    if (trend_.runs.size() < 2) return text;
    return text + fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n",
                              plot_width - right_edge, plot_height - 10, markup_escaped(last));
  }

  // Between the runs before and after a change.
  std::string versions() const {
    std::string lines, labels;
    double group_begin = 0, group_end = 0;
    int number = 0, first = 1;
    const auto label = [&] {
      if (number < first) return;
      const std::string text =
          number == first ? std::to_string(number) : fmt::format("{}-{}", first, number);
      labels += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                            (group_begin + group_end) / 2, top_edge - 6, text);
    };
    for (size_t run = 1; run < trend_.runs.size(); ++run) {
      const auto changes = changed_versions(trend_.runs[run - 1], trend_.runs[run]);
      if (changes.empty()) continue;
      const double at = (x(run - 1) + x(run)) / 2;
      if (number >= first && at - group_end > label_width) {
        label();
        first = number + 1;
      }
      if (++number == first) group_begin = at;
      group_end = at;
      lines += version_line(at, changes);
    }
    label();
    return lines + labels;
  }

  static std::string version_line(double at, const std::vector<history::VersionChange>& changes) {
    std::vector<std::string> names;
    for (const auto& change : changes) names.push_back(history::text_of(change));
    return fmt::format(
        "<line class=\"version\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\">"
        "<title>{3}</title></line>\n",
        at, top_edge, plot_height - bottom_edge, markup_escaped(slipway::join(names, ", ")));
  }

  std::string line(const Series& series, const char* color, size_t place) const {
    std::string points, dots;
    for (size_t i = 0; i < series.runs.size(); ++i) {
      const double across = x(series.runs[i]), up = y(series.busbw_gb_per_s[i]);
      points += fmt::format("{:.1f},{:.1f} ", across, up);
      dots += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"><title>{}: {:.2f} GB/s</title></circle>",
          across, up, markup_escaped(trend_.runs[series.runs[i]].started),
          series.busbw_gb_per_s[i]);
    }
    std::string text = fmt::format(
        "<g fill=\"{0}\"><polyline points=\"{1}\" fill=\"none\" stroke=\"{0}\" "
        "stroke-width=\"1.5\"/>{2}</g>\n",
        color, points, dots);
    if (series.regression) {
      const double level = y(series.regression->baseline_gb_per_s);
      text += fmt::format(
          "<line class=\"baseline\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n", left_edge,
          plot_width - right_edge, level, level);
    }
    const double row = top_edge + 12 + 20 * static_cast<double>(place);
    const double column = plot_width - right_edge + 16;
    return text + fmt::format(
                      "<rect x=\"{}\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{}\"/>"
                      "<text x=\"{}\" y=\"{}\">{}</text>\n",
                      column, row - 11, color, column + 18, row,
                      markup_escaped(size_text(series.size_bytes)));
  }

  const Trend& trend_;
  std::vector<const Series*> shown_;
  double most_ = 0;
};

std::string changes_list(const Trend& trend) {
  std::string list;
  for (size_t run = 1; run < trend.runs.size(); ++run) {
    const auto changes = changed_versions(trend.runs[run - 1], trend.runs[run]);
    if (changes.empty()) continue;
    std::vector<std::string> names;
    for (const auto& change : changes) names.push_back(history::text_of(change));
    list += fmt::format("<li>{}: {}</li>\n", markup_escaped(minute_text(trend.runs[run].started)),
                        markup_escaped(slipway::join(names, ", ")));
  }
  return list.empty() ? "<p>No version has changed.</p>\n" : "<ol>\n" + list + "</ol>\n";
}

std::string regressions(const Trend& trend) {
  if (!has_regression(trend)) {
    if (trend.runs.size() < history::least_runs)
      return fmt::format("<p>Too few runs to judge: {} are needed.</p>\n", history::least_runs);
    return "<p>No regression stands out from the noise.</p>\n";
  }
  std::string table =
      "<table>\n<tr><th>slower</th><th class=\"number\">baseline</th><th "
      "class=\"number\">now</th><th class=\"number\">change</th><th>since</th><th>with</th></tr>\n";
  for (const Series& series : trend.series) {
    if (!series.regression) continue;
    const auto& found = *series.regression;
    std::vector<std::string> names;
    for (const auto& change : found.with) names.push_back(history::text_of(change));
    table += fmt::format(
        "<tr><td>{}</td><td class=\"number\">{:.2f} GB/s</td><td class=\"number\">{:.2f} GB/s</td>"
        "<td class=\"number slower\">{:.1f} %</td><td>{}</td><td>{}</td></tr>\n",
        markup_escaped(name_of(series)), found.baseline_gb_per_s, found.now_gb_per_s,
        100 * (found.now_gb_per_s / found.baseline_gb_per_s - 1),
        markup_escaped(minute_text(trend.runs[found.since].started)),
        names.empty() ? "no known change" : markup_escaped(slipway::join(names, ", ")));
  }
  return table + "</table>\n";
}

}  // namespace

std::string trend_plot(const Trend& trend) {
  return TrendPlot(trend).draw();
}

std::string trends_page(const std::vector<Trend>& trends) {
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>Bandwidth history</title>\n"
      "<style>\n{}</style>\n</head>\n<body>\n<h1>Bandwidth history</h1>\n",
      bandwidth_style);
  if (trends.empty()) page += "<p>No runs.</p>\n";
  for (const Trend& trend : trends) {
    page += fmt::format("<h2>{}</h2>\n<p>{}, {}; {}</p>\n", markup_escaped(title_of(trend)),
                        counted(trend.ranks, "rank"), markup_escaped(trend.conditions),
                        counted(trend.runs.size(), "run"));
    page += regressions(trend) + trend_plot(trend);
    page +=
        "<p><small>Bus bandwidth of the largest sizes, out of place. Red, dotted: the baseline "
        "of a regression. Numbered lines: versions that changed. Times are UTC.</small></p>\n" +
        changes_list(trend);
  }
  return page + "</body>\n</html>\n";
}

}  // namespace slipway::commands
