// Draws when each node had new findings in the last week.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "common/markup.h"
#include "launcher/health/report.h"

namespace slipway::health {
namespace {

constexpr std::time_t shortest_axis = 3600;
constexpr int tick_count = 6;
constexpr size_t most_listed = 200;

// The axis ends now and begins with the oldest event, or an hour ago.
class Picture {
 public:
  Picture(std::time_t begin, std::time_t now)
      : begin_(std::min(begin, now - shortest_axis)), now_(now) {}

  std::string lane(const ReportedNode& node) const {
    std::string text =
        fmt::format("<span>{}</span><svg role=\"img\"><line x2=\"100%\" y1=\"9\" y2=\"9\"/>\n",
                    markup_escaped(node.name));
    for (const ReportedEvent& event : node.events) {
      text += fmt::format(
          "<circle cx=\"{:.2f}%\" cy=\"9\" r=\"5\"><title>{:%Y-%m-%d %H:%M:%S} UTC: "
          "{}</title></circle>\n",
          percent(event.time), fmt::gmtime(event.time), markup_escaped(event.what));
    }
    return text + "</svg>\n";
  }

  std::string axis() const {
    const bool days = now_ - begin_ > 2 * 86400;
    std::string text = "<span></span><svg role=\"img\">\n";
    for (int i = 0; i <= tick_count; ++i) {
      const std::time_t at = begin_ + (now_ - begin_) * i / tick_count;
      const auto utc = fmt::gmtime(at);
      text +=
          fmt::format("<text x=\"{:.2f}%\" y=\"13\" text-anchor=\"{}\">{}</text>\n", percent(at),
                      i == 0            ? "start"
                      : i == tick_count ? "end"
                                        : "middle",
                      days ? fmt::format("{:%b %d}", utc) : fmt::format("{:%H:%M}", utc));
    }
    return text + "</svg>\n";
  }

 private:
  double percent(std::time_t time) const {
    return 100 * static_cast<double>(std::clamp(time, begin_, now_) - begin_) /
           static_cast<double>(now_ - begin_);
  }

  std::time_t begin_, now_;
};

// For readers who cannot point at a mark: the newest first.
std::string event_list(const std::vector<ReportedNode>& nodes) {
  std::vector<std::pair<std::time_t, std::string>> rows;
  for (const ReportedNode& node : nodes) {
    for (const ReportedEvent& event : node.events) {
      rows.emplace_back(
          event.time, fmt::format("<tr><td>{:%Y-%m-%d %H:%M:%S}</td><th>{}</th><td>{}</td></tr>\n",
                                  fmt::gmtime(event.time), markup_escaped(node.name),
                                  markup_escaped(event.what)));
    }
  }
  std::ranges::stable_sort(rows, std::greater<>(), &std::pair<std::time_t, std::string>::first);
  std::string text = "<details><summary>as a list</summary>\n<table>\n";
  for (size_t i = 0; i < std::min(rows.size(), most_listed); ++i) text += rows[i].second;
  if (rows.size() > most_listed) {
    text += fmt::format("<tr><td>and {} more</td></tr>\n", rows.size() - most_listed);
  }
  return text + "</table></details>\n";
}

}  // namespace

std::string history_picture(const std::vector<ReportedNode>& nodes, std::time_t now) {
  std::time_t begin = now;
  for (const ReportedNode& node : nodes) {
    for (const ReportedEvent& event : node.events) begin = std::min(begin, event.time);
  }
  const Picture picture(begin, now);
  std::string lanes;
  for (const ReportedNode& node : nodes) {
    if (!node.events.empty()) lanes += picture.lane(node);
  }
  if (lanes.empty()) return "";
  return "<h2>New findings in the last week</h2>\n<div class=\"history\">\n" + lanes +
         picture.axis() + "</div>\n" + event_list(nodes);
}

}  // namespace slipway::health
