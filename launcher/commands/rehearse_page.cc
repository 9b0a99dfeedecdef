// `slipway rehearse --html`: goodput by checkpoint interval and spares, as one page.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "common/count.h"
#include "common/markup.h"
#include "launcher/commands/duration.h"
#include "launcher/commands/ledger_timeline.h"
#include "launcher/commands/rehearse_report.h"

namespace slipway::commands {
namespace {

using job::Outcome;

constexpr std::string_view css =
    ":root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;"
    "margin:2rem auto;padding:0 1rem}\n"
    "svg{width:100%;max-width:58rem;display:block}text{fill:currentColor;font-size:13px}"
    ".grid{stroke:#8884}.theory{stroke:#888;stroke-dasharray:5 4;fill:none}\n"
    "table{border-collapse:collapse;margin:1rem 0}td,th{text-align:right;padding:.15rem .8rem "
    ".15rem 0;white-space:nowrap}\n"
    "th.left{text-align:left}.best td{font-weight:bold}.parts{width:20rem;height:1rem;display:flex}"
    ".parts i{display:block;height:100%}\n"
    ".key{display:inline-block;width:.9em;height:.9em;margin:0 .4em 0 1.2em}"
    ".state{border-left:.5rem solid #0072b2;padding:.3rem .8rem;font-size:1.1rem}"
    "p.given{white-space:pre-line}\n";

// Of the series, distinguishable for readers who confuse red and green.
constexpr std::array<const char*, 6> series_colors = {"#0072b2", "#d55e00", "#009e73",
                                                      "#cc79a7", "#e69f00", "#56b4e9"};

constexpr double left = 60, right = 890, top = 30, bottom = 320;

// Goodput over the checkpoint interval, a line for each number of spares; over the spares, if there
// is one interval only.
class Chart {
 public:
  explicit Chart(const Rehearsal& rehearsal) : rehearsal_(rehearsal) {
    std::set<double> intervals;
    double low = 1, high = 0;
    for (const Outcome& outcome : rehearsal.outcomes) {
      intervals.insert(outcome.setting.interval_seconds);
      low = std::min(low, outcome.low);
      high = std::max(high, outcome.high);
    }
    over_spares_ = intervals.size() == 1;
    for (const Outcome& outcome : rehearsal.outcomes) {
      xs_.insert(x_of(outcome));
      series_.insert(series_of(outcome));
    }
    step_ = high - low > 0.5 ? 0.1 : high - low > 0.2 ? 0.05 : high - low > 0.05 ? 0.02 : 0.01;
    low_ = std::max(0.0, std::floor(low / step_) * step_);
    high_ = std::min(1.0, std::ceil(high / step_) * step_);
    if (high_ <= low_) low_ = high_ - step_;
  }

  std::string draw() const {
    std::string svg = "<svg viewBox=\"0 0 960 375\" role=\"img\">\n" + axes() + theory();
    size_t i = 0;
    for (const double series : series_) svg += line(series, series_colors[i++ % 6]);
    svg += "</svg>\n<p>";
    i = 0;
    for (const double series : series_) {
      svg += fmt::format("<span class=\"key\" style=\"background:{}\"></span>{}",
                         series_colors[i++ % 6], series_name(series));
    }
    svg += "</p>\n<p><small>Bars go from the 5 % to the 95 % of the runs";
    if (!over_spares_) svg += "; the dashed line is Daly's formula, with enough nodes";
    return svg + ".</small></p>\n";
  }

 private:
  double x_of(const Outcome& outcome) const {
    return over_spares_ ? static_cast<double>(outcome.setting.spares)
                        : std::log(outcome.setting.interval_seconds);
  }
  double series_of(const Outcome& outcome) const {
    return over_spares_ ? outcome.setting.interval_seconds
                        : static_cast<double>(outcome.setting.spares);
  }
  std::string series_name(double series) const {
    return over_spares_ ? "a checkpoint every " + duration_text(series)
                        : counted(static_cast<int64_t>(series), "spare");
  }
  std::string x_name(double x) const {
    return over_spares_ ? fmt::format("{:.0f}", x) : duration_text(std::exp(x));
  }

  double place(double x) const {
    const double first = *xs_.begin(), last = *xs_.rbegin();
    if (last <= first) return (left + right) / 2;
    return left + 40 + (x - first) / (last - first) * (right - left - 80);
  }
  double height(double goodput) const {
    return bottom - (std::clamp(goodput, low_, high_) - low_) / (high_ - low_) * (bottom - top);
  }

  std::string axes() const {
    std::string text;
    for (int i = 0; low_ + i * step_ < high_ + step_ / 2; ++i) {
      const double goodput = low_ + i * step_;
      text += fmt::format(
          "<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>"
          "<text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5:.2f}</text>\n",
          left, right, height(goodput), left - 8, height(goodput) + 4, goodput);
    }
    for (const double x : xs_) {
      text += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                          place(x), bottom + 20, x_name(x));
    }
    return text + fmt::format(
                      "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>"
                      "<text x=\"{}\" y=\"14\">goodput</text>\n",
                      (left + right) / 2, bottom + 44,
                      over_spares_ ? "spares" : "a checkpoint every", left);
  }

  std::string theory() const {
    if (over_spares_) return "";
    std::string points;
    constexpr int parts = 60;
    for (int i = 0; i <= parts; ++i) {
      const double x = *xs_.begin() + (*xs_.rbegin() - *xs_.begin()) * i / parts;
      const double goodput = theory_of(rehearsal_.scenario, std::exp(x));
      points += fmt::format("{:.1f},{:.1f} ", place(x), height(goodput));
    }
    return fmt::format("<polyline class=\"theory\" points=\"{}\"/>\n", points);
  }

  // Points with bars, which are beside those of other series, and a line between them.
  std::string line(double series, const char* color) const {
    const auto index = std::distance(series_.begin(), series_.find(series));
    const double aside =
        4 * (static_cast<double>(index) - static_cast<double>(series_.size() - 1) / 2);
    std::vector<std::pair<double, const Outcome*>> places;
    for (const Outcome& outcome : rehearsal_.outcomes) {
      if (series_of(outcome) == series) places.emplace_back(place(x_of(outcome)) + aside, &outcome);
    }
    std::ranges::sort(places);
    std::string points, marks;
    for (const auto& [x, outcome] : places) {
      points += fmt::format("{:.1f},{:.1f} ", x, height(outcome->mean));
      marks += fmt::format(
          "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" stroke=\"{3}\"/>"
          "<circle cx=\"{0:.1f}\" cy=\"{4:.1f}\" r=\"{5}\" fill=\"{3}\"><title>{6}, a "
          "checkpoint every {7}: {8:.3f} ({9:.3f} to {10:.3f})</title></circle>\n",
          x, height(outcome->low), height(outcome->high), color, height(outcome->mean),
          outcome == &best(rehearsal_) ? 8 : 4, counted(outcome->setting.spares, "spare"),
          duration_text(outcome->setting.interval_seconds), outcome->mean, outcome->low,
          outcome->high);
    }
    return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n",
                       points, color) +
           marks;
  }

  const Rehearsal& rehearsal_;
  bool over_spares_ = false;
  std::set<double> xs_, series_;
  double low_ = 0, high_ = 1, step_ = 0.1;
};

struct TimeShare {
  const char* name;
  double job::Times::*time;
  const char* color;
};

std::array<TimeShare, 6> time_shares() {
  using job::Phase;
  using job::Times;
  return {{{"productive", &Times::productive, phase_color(Phase::productive)},
           {"writing checkpoints", &Times::checkpoints, "#009e73"},
           {"lost work", &Times::lost_work, phase_color(Phase::lost_work)},
           {"detection", &Times::detection, phase_color(Phase::detection)},
           {"waiting for nodes", &Times::waiting, phase_color(Phase::waiting)},
           {"restart", &Times::restart, phase_color(Phase::startup)}}};
}

std::string setting_row(const Rehearsal& rehearsal, const Outcome& outcome) {
  std::string bar;
  for (const TimeShare& share : time_shares()) {
    bar += fmt::format("<i style=\"width:{0:.2f}%;background:{1}\" title=\"{2}: {0:.2f} %\"></i>",
                       outcome.times.*share.time * 100, share.color, share.name);
  }
  return fmt::format(
      "<tr{}><td>{}</td><td>{}</td><td>{:.3f}</td><td>{:.3f}</td><td>{:.3f}</td><td>{:.3f}</td>"
      "<td><div class=\"parts\">{}</div></td></tr>\n",
      &outcome == &best(rehearsal) ? " class=\"best\"" : "", outcome.setting.spares,
      duration_text(outcome.setting.interval_seconds), outcome.mean, outcome.low, outcome.high,
      per_node(outcome, rehearsal.scenario), bar);
}

std::string setting_table(const Rehearsal& rehearsal) {
  std::string text =
      "<table>\n<tr><th>spares</th><th>checkpoint every</th><th>goodput</th><th>5 %</th>"
      "<th>95 %</th><th>per node</th><th class=\"left\">parts of the time</th></tr>\n";
  for (const Outcome& outcome : rehearsal.outcomes) text += setting_row(rehearsal, outcome);
  text += "</table>\n<p>";
  for (const TimeShare& share : time_shares()) {
    text += fmt::format("<span class=\"key\" style=\"background:{}\"></span>{}", share.color,
                        share.name);
  }
  return text + "</p>\n";
}

}  // namespace

std::string as_page(const Rehearsal& rehearsal) {
  const std::string title = fmt::format("Rehearsal of {} nodes", rehearsal.scenario.nodes);
  const Outcome& winner = best(rehearsal);
  return fmt::format(
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width\">\n<title>{0}</title>\n"
             "<style>\n{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n<p class=\"given\">{2}</p>\n",
             title, css, markup_escaped(given(rehearsal, Paint(source::Color::never)))) +
         fmt::format(
             "<p class=\"state\">Best per paid node: {}, a "
             "checkpoint every {}: goodput {:.3f}</p>\n",
             counted(winner.setting.spares, "spare"),
             duration_text(winner.setting.interval_seconds), winner.mean) +
         Chart(rehearsal).draw() + setting_table(rehearsal) + "</body>\n</html>\n";
}

}  // namespace slipway::commands
