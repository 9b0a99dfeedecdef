// `slipway ledger --html`: the timeline of a job as one page.
#include <fmt/core.h>

#include <array>

#include "common/markup.h"
#include "launcher/commands/duration.h"
#include "launcher/commands/ledger_report.h"

namespace slipway::commands {
namespace {

using job::Goodput;
using job::Phase;

// Colors of the phases, in their order, that readers who confuse red and green can distinguish.
constexpr std::array<const char*, job::phases> colors = {
    "#0072b2", "#d55e00", "#e69f00", "#cc79a7", "#56b4e9", "#999999", "#f0e442", "#bbbbbb"};

constexpr std::string_view style =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;"
    "color:#222;background:#fff}\n"
    "table{border-collapse:collapse;margin:1rem 0}td,th{text-align:left;padding:.15rem 1.2rem "
    ".15rem 0}\n"
    ".number{text-align:right}li{overflow-wrap:anywhere}\n"
    ".ends{display:flex;justify-content:space-between;margin:.3rem "
    "0;font-size:.85em}svg{width:100%;height:4rem;display:block}\n"
    ".key{display:inline-block;width:.9em;height:.9em;margin-right:.5em}\n"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}}\n";

std::string length_text(int64_t milliseconds) {
  return duration_text(static_cast<double>(milliseconds) / 1000);
}

std::string timeline(const Goodput& goodput) {
  std::string svg = "<svg viewBox=\"0 0 1000 40\" preserveAspectRatio=\"none\" role=\"img\">\n";
  const double scale = 1000 / static_cast<double>(goodput.end_ms - goodput.begin_ms);
  for (const job::Span& span : goodput.spans) {
    const int64_t length = span.end_ms - span.begin_ms;
    const std::string attempt =
        span.attempt > 0 ? fmt::format(", attempt {}", span.attempt) : std::string();
    svg += fmt::format(
        "<rect x=\"{:.3f}\" y=\"0\" width=\"{:.3f}\" height=\"40\" fill=\"{}\">"
        "<title>{}{}: {} from {}</title></rect>\n",
        static_cast<double>(span.begin_ms - goodput.begin_ms) * scale,
        static_cast<double>(length) * scale, colors[static_cast<size_t>(span.phase)],
        phase_name(span.phase), attempt, length_text(length), job::time_text(span.begin_ms));
  }
  return svg + fmt::format("</svg>\n<p class=\"ends\"><span>{}</span><span>{}</span></p>\n",
                           job::time_text(goodput.begin_ms), job::time_text(goodput.end_ms));
}

std::string phase_table(const Goodput& goodput) {
  std::string table = "<table>\n<tr><th>time</th><th></th><th class=\"number\">of all</th></tr>\n";
  const double all = static_cast<double>(goodput.end_ms - goodput.begin_ms);
  for (size_t i = 0; i < job::phases; ++i) {
    if (goodput.phase_ms[i] == 0) continue;
    table += fmt::format(
        "<tr><td><span class=\"key\" style=\"background:{}\"></span>{}</td>"
        "<td class=\"number\">{}</td><td class=\"number\">{:.1f} %</td></tr>\n",
        colors[i], phase_name(static_cast<Phase>(i)), length_text(goodput.phase_ms[i]),
        100 * static_cast<double>(goodput.phase_ms[i]) / all);
  }
  return table + "</table>\n";
}

std::string cause_table(const Goodput& goodput) {
  if (goodput.causes.empty()) return "<p>No attempt failed.</p>\n";
  std::string table =
      "<table>\n<tr><th>lost to</th><th>blamed</th><th class=\"number\">time</th>"
      "<th class=\"number\">failures</th><th class=\"number\">steps again</th></tr>\n";
  for (const job::LostTime& cause : goodput.causes) {
    table += fmt::format(
        "<tr><td>{}</td><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>"
        "<td class=\"number\">{}</td></tr>\n",
        markup_escaped(cause.what), markup_escaped(cause.blame), length_text(cause.lost_ms),
        cause.failures, cause.lost_steps);
  }
  return table + "</table>\n";
}

std::string blamed_list(const Goodput& goodput) {
  std::string list;
  for (const job::Blamed& blamed : goodput.blamed) {
    list += fmt::format("<h3>{}</h3>\n<p>{} in attempt {}</p>\n<ul>\n", markup_escaped(blamed.node),
                        markup_escaped(blamed.what), blamed.attempt);
    for (const std::string& evidence : blamed.evidence) {
      list += fmt::format("<li>{}</li>\n", markup_escaped(evidence));
    }
    list += "</ul>\n";
  }
  return list.empty() ? list : "<h2>Blamed nodes</h2>\n" + list;
}

}  // namespace

std::string goodput_page(const Goodput& goodput) {
  const std::string title = "Job " + markup_escaped(goodput.job);
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>{}</title>\n"
      "<style>\n{}</style>\n</head>\n<body>\n<h1>{}</h1>\n",
      title, style, title);
  const auto ratio = goodput.ratio();
  page += fmt::format("<p>{} after {}, {}, {}; goodput {}{}</p>\n",
                      goodput.result.empty() ? "not ended" : markup_escaped(goodput.result),
                      length_text(goodput.end_ms - goodput.begin_ms),
                      counted(goodput.attempts, "attempt"), counted(goodput.requeues, "requeue"),
                      ratio ? fmt::format("{:.3f}, {} steps", *ratio, goodput.steps) : "unknown",
                      goodput.joules ? "; " + energy_text(goodput) : "");
  if (!goodput.spans.empty()) page += timeline(goodput) + phase_table(goodput);
  page += "<h2>Failures</h2>\n" + cause_table(goodput) + blamed_list(goodput);
  return page + "</body>\n</html>\n";
}

}  // namespace slipway::commands
