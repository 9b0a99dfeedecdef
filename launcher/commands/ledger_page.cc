// `slipway ledger --html`: the timeline of a job and what it lost, as one page.
#include <fmt/core.h>

#include "common/count.h"
#include "common/markup.h"
#include "launcher/commands/duration.h"
#include "launcher/commands/ledger_report.h"
#include "launcher/commands/ledger_timeline.h"

namespace slipway::commands {
namespace {

using job::Goodput;
using job::Phase;

constexpr std::string_view style =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;"
    "color:#222;background:#fff}\n"
    "table{border-collapse:collapse;margin:1rem 0}td,th{text-align:left;padding:.15rem 1.2rem "
    ".15rem 0}\n"
    ".number{text-align:right}li{overflow-wrap:anywhere}\n"
    ".lanes{display:grid;grid-template-columns:max-content 1fr;gap:.25rem .8rem;align-items:center;"
    "font-size:.85em}.lanes svg{width:100%;display:block;overflow:visible}\n"
    ".lanes span{max-width:18rem;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}"
    ".lanes text{fill:currentColor;font-size:12px}.grid{stroke:#8886}\n"
    ".ran{fill:#7a8ea6}.spare{fill:#7a8ea644}.failure{stroke:#c00;stroke-width:2}"
    ".lanes text.blamed{fill:#c00;font-size:15px;font-weight:bold}\n"
    ".hint{border-left:4px solid #e69f00;padding-left:.8rem}small{opacity:.8}\n"
    ".key{display:inline-block;width:.9em;height:.9em;margin-right:.5em}\n"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}"
    ".failure{stroke:#ff6b6b}.lanes text.blamed{fill:#ff6b6b}}\n";

std::string length_text(int64_t milliseconds) {
  return duration_text(static_cast<double>(milliseconds) / 1000);
}

std::string phase_table(const Goodput& goodput) {
  std::string table = "<table>\n<tr><th>time</th><th></th><th class=\"number\">of all</th></tr>\n";
  const double all = static_cast<double>(goodput.end_ms - goodput.begin_ms);
  for (size_t i = 0; i < job::phases; ++i) {
    if (goodput.phase_ms[i] == 0) continue;
    table += fmt::format(
        "<tr><td><span class=\"key\" style=\"background:{}\"></span>{}</td>"
        "<td class=\"number\">{}</td><td class=\"number\">{:.1f} %</td></tr>\n",
        phase_color(static_cast<Phase>(i)), phase_name(static_cast<Phase>(i)),
        length_text(goodput.phase_ms[i]), 100 * static_cast<double>(goodput.phase_ms[i]) / all);
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

// What to do if the timeline is gray.
std::string hint(const Goodput& goodput) {
  if (goodput.phase_ms[static_cast<size_t>(Phase::unreported)] == 0) return "";
  return "<p class=\"hint\">The program reported no steps, so nobody knows which of its time was "
         "productive. If it writes the number of its step to the file "
         "<code>$SLIPWAY_PROGRESS</code>, this page shows what each failure cost.</p>\n";
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
  if (!goodput.spans.empty()) page += timeline(goodput) + hint(goodput) + phase_table(goodput);
  page += "<h2>Failures</h2>\n" + cause_table(goodput) + blamed_list(goodput);
  return page + "</body>\n</html>\n";
}

}  // namespace slipway::commands
