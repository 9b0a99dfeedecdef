// Renders the verdicts of many nodes as an HTML page.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "common/count.h"
#include "common/host_list.h"
#include "common/markup.h"
#include "launcher/health/report.h"

namespace slipway::health {
namespace {

constexpr const char* style = R"(
:root { color-scheme: light dark; --line: #8884; --soft: #8882;
  --none: #1f7f49; --note: #3a6ea5; --degrade: #8a6a00; --drain: #b8481a; --reboot: #c9302c; --replace: #a3237b; --unknown: #707070; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 90rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.tiles { display: flex; gap: .8rem; flex-wrap: wrap; }
.tile { border: 1px solid var(--line); border-radius: .5rem; padding: .5rem 1rem; min-width: 5rem; }
.tile b { display: block; font-size: 1.6rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; } td, th { padding: .2rem .5rem; text-align: left; border-bottom: 1px solid var(--soft); }
tbody th { white-space: nowrap; font-weight: 600; }
thead th { vertical-align: bottom; } th.check { writing-mode: vertical-rl; transform: rotate(180deg); font-weight: normal; }
th.check { padding: .3rem .1rem; } td.cell { text-align: center; padding: .1rem; min-width: 1.2rem; }
.scroll th:first-child { position: sticky; left: 0; background: Canvas; }
td.cell span, .word { border-radius: .25rem; color: #fff; padding: 0 .4rem; white-space: nowrap; }
td.cell span { display: inline-block; width: .9rem; height: 1.1rem; padding: 0; vertical-align: middle; }
td.cell span.none { background: #1f7f494d; } td.time { white-space: nowrap; }
.findings { width: 100%; } .findings td, .findings th { vertical-align: top; }
.findings td.evidence { overflow-wrap: anywhere; } .findings td:nth-child(4) { white-space: nowrap; }
.findings td:last-child { min-width: 11rem; }
.none { background: var(--none); } .note { background: #1f7f494d; box-shadow: inset 0 -3px var(--note); } .degrade { background: var(--degrade); }
.drain { background: var(--drain); } .reboot { background: var(--reboot); } .replace { background: var(--replace); }
.word.note { background: none; box-shadow: none; color: inherit; padding: 0; } .state { border-left: .5rem solid; padding: .3rem .8rem; font-size: 1.15rem; }
.state.good { border-color: var(--none); } .state.bad { border-color: var(--drain); } small { opacity: .75; } summary { cursor: pointer; }
.history { display: grid; grid-template-columns: max-content 1fr; gap: .2rem .8rem; align-items: center; font-size: .85em; }
.history svg { width: 100%; height: 18px; display: block; overflow: visible; } .history text { fill: currentColor; font-size: 12px; }
.history circle { fill: var(--note); } .history line { stroke: var(--line); }
.unknown { background: var(--unknown); } td.cell.not { color: var(--line); }
@media (max-width: 60rem) {
  .findings thead { display: none; } .findings, .findings tbody { display: block; }
  .findings tr { display: block; padding: .4rem 0; border-bottom: 1px solid var(--line); }
  .findings tr > * { display: inline-block; border: 0; padding: 0 .6rem 0 0; } .findings td.evidence { display: block; }
  .findings td:last-child { min-width: 0; opacity: .75; }
}
)";

std::string word(Action action, bool unknown) {
  const std::string_view name = unknown ? "unknown" : name_of(action);
  return fmt::format("<span class=\"word {}\">{}</span>", name, name == "none" ? "healthy" : name);
}

// The state of a node. One with notes is healthy, and looks it.
std::string state(const ReportedNode& node) {
  if (!node.is_healthy()) return word(node.action, !node.trouble.empty());
  const auto notes = std::ranges::count(node.findings, Action::note, &ReportedFinding::action);
  if (notes == 0) return word(Action::none, false);
  return fmt::format("{} <small>{}</small>", word(Action::none, false), counted(notes, "note"));
}

std::string tiles(const std::vector<ReportedNode>& nodes) {
  std::map<std::string, int> counts;
  for (const ReportedNode& node : nodes) {
    const Action action = node.is_healthy() ? Action::none : node.action;
    ++counts[node.trouble.empty() ? std::string(name_of(action)) : "unknown"];
  }
  std::string text = "<div class=\"tiles\">";
  for (const char* name : {"none", "degrade", "drain", "reboot", "replace", "unknown"}) {
    if (!counts.contains(name)) continue;
    text += fmt::format("<div class=\"tile\"><b>{}</b><span class=\"word {}\">{}</span></div>",
                        counts[name], name, name == std::string("none") ? "healthy" : name);
  }
  return text + "</div>\n";
}

// One check of a node: its most severe finding, and the evidence of all findings.
std::string cell(const ReportedNode& node, const std::string& check) {
  Action worst = Action::none;
  std::string evidence;
  bool found = false;
  for (const ReportedFinding& finding : node.findings) {
    if (finding.check != check) continue;
    found = true;
    worst = std::max(worst, finding.action);
    evidence +=
        fmt::format("{}{}: {}", evidence.empty() ? "" : "; ", finding.device, finding.evidence);
  }
  if (!found && std::ranges::find(node.checks, check) == node.checks.end()) {
    return "<td class=\"cell not\" title=\"not run\">–</td>";
  }
  return fmt::format("<td class=\"cell\"><span class=\"{}\" title=\"{}\"></span></td>",
                     name_of(worst), markup_escaped(found ? evidence : check + ": nothing found"));
}

std::string matrix(const std::vector<ReportedNode>& nodes) {
  std::vector<std::string> checks;
  for (const ReportedNode& node : nodes) {
    const auto add = [&](const std::string& check) {
      if (std::ranges::find(checks, check) == checks.end()) checks.push_back(check);
    };
    std::ranges::for_each(node.checks, add);
    for (const ReportedFinding& finding : node.findings) add(finding.check);
  }
  std::string text = "<div class=\"scroll\"><table><thead><tr><th>node</th><th></th>";
  for (const std::string& check : checks) {
    text += fmt::format("<th class=\"check\">{}</th>", markup_escaped(check));
  }
  text += "<th>checked</th></tr></thead><tbody>\n";
  for (const ReportedNode& node : nodes) {
    text += fmt::format("<tr><th>{}</th><td>{}</td>", markup_escaped(node.name), state(node));
    for (const std::string& check : checks) text += cell(node, check);
    text += fmt::format("<td class=\"time\">{}</td></tr>\n",
                        markup_escaped(node.trouble.empty() ? node.time : node.trouble));
  }
  return text + "</tbody></table></div>\n";
}

// `list`: of the names of many nodes, below the evidence
std::string row(const std::string& node, const ReportedFinding& finding, const std::string& list) {
  return fmt::format(
      "<tr><th>{}</th><td>{}</td><td>{}</td><td>{}</td>"
      "<td class=\"evidence\">{}{}</td><td>{}</td></tr>\n",
      markup_escaped(node), word(finding.action, false), markup_escaped(finding.check),
      markup_escaped(finding.device), markup_escaped(finding.evidence),
      list.empty() ? "" : fmt::format("<br><small>{}</small>", markup_escaped(list)),
      markup_escaped(finding.because));
}

std::string rows_of(const SharedFinding& shared) {
  if (shared.nodes.size() > most_single_names) {
    return row(counted(shared.nodes.size(), "node"), *shared.finding, host_list(shared.nodes));
  }
  std::string rows;
  for (const std::string& node : shared.nodes) rows += row(node, *shared.finding, "");
  return rows;
}

std::string finding_table(const std::string& rows) {
  return "<table class=\"findings\"><thead><tr><th>node</th><th></th>"
         "<th>check</th><th>device</th><th>evidence</th><th>because</th></tr></thead><tbody>\n" +
         rows + "</tbody></table>\n";
}

// Notes are folded: they need nothing done.
std::string findings(const std::vector<ReportedNode>& nodes) {
  std::string rows, notes;
  size_t note_count = 0;
  for (const SharedFinding& shared : shared_findings(nodes)) {
    const bool is_note = shared.finding->action <= Action::note;
    note_count += is_note ? shared.nodes.size() : 0;
    (is_note ? notes : rows) += rows_of(shared);
  }
  std::string text;
  if (!rows.empty()) text += "<h2>Findings</h2>\n" + finding_table(rows);
  if (!notes.empty()) {
    text += fmt::format("<details><summary>{}, which need nothing done</summary>\n{}</details>\n",
                        counted(note_count, "note"), finding_table(notes));
  }
  return text;
}

std::string headline(const std::vector<ReportedNode>& nodes) {
  const bool good = std::ranges::all_of(nodes, &ReportedNode::is_healthy);
  return fmt::format("<p class=\"state {}\">{}</p>\n", good ? "good" : "bad",
                     good && nodes.size() > 1
                         ? fmt::format("All {} nodes are healthy", nodes.size())
                         : health_summary(nodes));
}

}  // namespace

std::string as_page(const std::vector<ReportedNode>& nodes, const std::string& title,
                    std::time_t now) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n"
      "<title>{0}</title><style>{1}</style></head><body>\n<h1>{0}</h1>\n"
      "{2}<p><small>{3:%Y-%m-%d %H:%M:%S} UTC</small></p>\n{4}{5}<h2>Nodes and checks</h2>\n{6}{7}"
      "</body></html>\n",
      markup_escaped(title), style, headline(nodes), fmt::gmtime(now), tiles(nodes),
      findings(nodes), matrix(nodes), history_picture(nodes, now));
}

}  // namespace slipway::health
