// Draws the timeline of a job. Positions are percentages, so that text keeps its shape in a page of
// any width.
#include "launcher/commands/ledger_timeline.h"

#include <fmt/core.h>
#include <string.h>

#include <algorithm>
#include <array>
#include <vector>

#include "common/count.h"
#include "common/markup.h"
#include "launcher/commands/duration.h"
#include "launcher/commands/ledger_report.h"

namespace slipway::commands {
namespace {

using job::Goodput;

constexpr size_t most_lanes = 40;
constexpr int64_t most_ticks = 8;

// Distances of ticks that people read easily, in seconds.
constexpr std::array<int64_t, 25> tick_steps = {
    1,      2,      5,      10,      15,      30,      60,      120,   300,
    600,    900,    1800,   3600,    7200,    10800,   21600,   43200, 86400,
    172800, 432000, 864000, 1728000, 4320000, 8640000, 31536000};

// "15 s", "2 min", "3 h", "10 days"
std::string tick_text(int64_t seconds) {
  if (seconds % 86400 == 0 && seconds > 0) return counted(seconds / 86400, "day");
  if (seconds % 3600 == 0 && seconds > 0) return fmt::format("{} h", seconds / 3600);
  if (seconds % 60 == 0 && seconds > 0) return fmt::format("{} min", seconds / 60);
  return fmt::format("{} s", seconds);
}

// Draws on a scale from the job's begin to its end.
class Timeline {
 public:
  explicit Timeline(const Goodput& goodput) : goodput_(goodput) { find_ticks(); }

  std::string draw() const {
    std::string text = "<div class=\"lanes\">\n";
    text += lane("", 40, phases() + failures());
    const std::vector<std::string> nodes = all_nodes();
    const std::vector<std::string> shown = shown_nodes(nodes);
    for (const std::string& node : shown) text += lane(markup_escaped(node), 18, node_bars(node));
    text += lane("", 18, axis(), "4") + "</div>\n";
    text += fmt::format("<p><small>from {} to {}", job::time_text(goodput_.begin_ms),
                        job::time_text(goodput_.end_ms));
    if (!nodes.empty()) {
      text += "; each node: solid: runs; faint: held back as a spare; \u2715: blamed for a failure";
    }
    if (shown.size() < nodes.size()) {
      text += fmt::format("; {} more nodes were never blamed", nodes.size() - shown.size());
    }
    return text + "</small></p>\n";
  }

 private:
  double percent(int64_t time_ms) const {
    return 100 * static_cast<double>(time_ms - goodput_.begin_ms) /
           static_cast<double>(goodput_.end_ms - goodput_.begin_ms);
  }

  void find_ticks() {
    const int64_t all = (goodput_.end_ms - goodput_.begin_ms) / 1000;
    const auto step = std::ranges::find_if(
        tick_steps, [&](int64_t seconds) { return all / seconds < most_ticks; });
    const int64_t distance = step == tick_steps.end() ? tick_steps.back() : *step;
    for (int64_t at = 0; at <= all && ticks_.size() < 1000; at += distance) ticks_.push_back(at);
  }

  std::string lane(const std::string& name, int height, const std::string& content,
                   const char* grid_height = "100%") const {
    std::string grid;
    for (const int64_t tick : ticks_) {
      grid += fmt::format("<line class=\"grid\" x1=\"{0:.3f}%\" x2=\"{0:.3f}%\" y2=\"{1}\"/>",
                          percent(goodput_.begin_ms + tick * 1000), grid_height);
    }
    return fmt::format(
        "<span title=\"{0}\">{0}</span><svg height=\"{1}\" role=\"img\">{2}\n{3}</svg>\n", name,
        height, grid, content);
  }

  std::string bar(int64_t begin_ms, int64_t end_ms, const std::string& look,
                  const std::string& title) const {
    return fmt::format(
        "<rect x=\"{:.3f}%\" width=\"{:.3f}%\" height=\"100%\" {}><title>{}: {} from "
        "{}</title></rect>\n",
        percent(begin_ms), percent(end_ms) - percent(begin_ms), look, title,
        duration_text(static_cast<double>(end_ms - begin_ms) / 1000), job::time_text(begin_ms));
  }

  std::string phases() const {
    std::string text;
    for (const job::Span& span : goodput_.spans) {
      const std::string attempt =
          span.attempt > 0 ? fmt::format(", attempt {}", span.attempt) : std::string();
      text += bar(span.begin_ms, span.end_ms, fmt::format("fill=\"{}\"", phase_color(span.phase)),
                  phase_name(span.phase) + attempt);
    }
    return text;
  }

  std::string failures() const {
    std::string text;
    for (const job::Run& run : goodput_.runs) {
      if (run.what.empty()) continue;
      text += fmt::format(
          "<line class=\"failure\" x1=\"{0:.3f}%\" x2=\"{0:.3f}%\" y1=\"-4\" "
          "y2=\"100%\"><title>{1}, "
          "attempt {2}: {3}</title></line>\n",
          percent(run.end_ms), markup_escaped(run.what), run.attempt,
          run.node.empty() ? "no node is blamed" : "blamed: " + markup_escaped(run.node));
    }
    return text;
  }

  std::vector<std::string> all_nodes() const {
    std::vector<std::string> nodes;
    for (const job::Run& run : goodput_.runs) {
      nodes.insert(nodes.end(), run.nodes.begin(), run.nodes.end());
      nodes.insert(nodes.end(), run.spares.begin(), run.spares.end());
    }
    std::ranges::sort(nodes, [](const std::string& a, const std::string& b) {
      return ::strverscmp(a.c_str(), b.c_str()) < 0;
    });
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return nodes;
  }

  // Of many nodes, those that were blamed.
  std::vector<std::string> shown_nodes(std::vector<std::string> nodes) const {
    if (nodes.size() <= most_lanes) return nodes;
    std::erase_if(nodes, [&](const std::string& node) {
      return std::ranges::find(goodput_.blamed, node, &job::Blamed::node) == goodput_.blamed.end();
    });
    nodes.resize(std::min(nodes.size(), most_lanes));
    return nodes;
  }

  std::string node_bars(const std::string& node) const {
    std::string bars, marks;
    for (const job::Run& run : goodput_.runs) {
      const std::string attempt = fmt::format("attempt {}", run.attempt);
      if (std::ranges::find(run.nodes, node) != run.nodes.end()) {
        bars += bar(run.begin_ms, run.end_ms, "class=\"ran\"", attempt);
      } else if (std::ranges::find(run.spares, node) != run.spares.end()) {
        bars += bar(run.begin_ms, run.end_ms, "class=\"spare\"", "spare in " + attempt);
      }
      if (run.node != node || run.what.empty()) continue;
      marks += fmt::format(
          "<text class=\"blamed\" x=\"{:.3f}%\" y=\"14\" text-anchor=\"middle\">\u2715<title>{}, "
          "{}</title></text>\n",
          percent(run.end_ms), markup_escaped(run.what), attempt);
    }
    return bars + marks;
  }

  std::string axis() const {
    std::string text;
    for (const int64_t tick : ticks_) {
      const double at = percent(goodput_.begin_ms + tick * 1000);
      text += fmt::format("<text x=\"{:.3f}%\" y=\"14\" text-anchor=\"{}\">{}</text>\n", at,
                          at < 1    ? "start"
                          : at > 97 ? "end"
                                    : "middle",
                          tick_text(tick));
    }
    return text;
  }

  const Goodput& goodput_;
  std::vector<int64_t> ticks_;  // seconds from the job's begin
};

}  // namespace

const char* phase_color(job::Phase phase) {
  static constexpr std::array<const char*, job::phases> colors = {
      "#0072b2", "#d55e00", "#e69f00", "#cc79a7", "#56b4e9", "#999999", "#f0e442", "#bbbbbb"};
  return colors[static_cast<size_t>(phase)];
}

std::string timeline(const Goodput& goodput) {
  return Timeline(goodput).draw();
}

}  // namespace slipway::commands
