// Draws a deployment for a terminal of a given size.
#include "launcher/local/status_screen.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "common/count.h"
#include "common/text.h"
#include "common/host_list.h"

namespace slipway::local {
namespace {

enum class Tone { plain, faint, good, busy, warning, bad };

struct Cell {
  std::string text;
  Tone tone = Tone::plain;
};
using Row = std::vector<Cell>;

// How urgently a state needs attention, and its color. States are sinfo's, with a flag at the end:
// "idle~".
Tone tone_of(const std::string& state) {
  for (const char* word : {"down", "fail", "error", "unknown", "perfctrs"}) {
    if (state.starts_with(word)) return Tone::bad;
  }
  if (state.ends_with('*')) return Tone::bad;  // not responding
  for (const char* word : {"drain", "maint", "reserved", "reboot"}) {
    if (state.starts_with(word)) return Tone::warning;
  }
  if (state.ends_with('~')) return Tone::faint;  // off until a job needs it
  if (state.find_first_of("#%!") != state.npos) return Tone::busy;
  for (const char* word : {"alloc", "mixed", "compl"}) {
    if (state.starts_with(word)) return Tone::busy;
  }
  return state.starts_with("idle") ? Tone::good : Tone::plain;
}

int urgency(const std::string& state) {
  switch (tone_of(state)) {
    case Tone::bad:
      return 0;
    case Tone::warning:
      return 1;
    case Tone::busy:
      return 2;
    case Tone::faint:
      return 4;
    default:
      return 3;
  }
}

std::string colored(const std::string& text, Tone tone) {
  static const std::map<Tone, const char*> codes = {{Tone::faint, "2"},
                                                    {Tone::good, "32"},
                                                    {Tone::busy, "36"},
                                                    {Tone::warning, "33"},
                                                    {Tone::bad, "1;31"}};
  const auto code = codes.find(tone);
  return code == codes.end() ? text : fmt::format("\x1b[{}m{}\x1b[0m", code->second, text);
}

// Replaces control characters, so that text from others cannot control the terminal, and makes each
// byte one character wide.
std::string plain_text(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) >= 0x7f) c = '?';
  }
  return text;
}

// Lays out rows in aligned columns, cut off at the screen's edge.
std::vector<std::string> lay_out(const std::vector<Row>& rows, const Screen& screen) {
  std::vector<size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].text.size());
  }
  std::vector<std::string> lines;
  for (const Row& row : rows) {
    std::string line;
    size_t left = screen.columns;
    for (size_t i = 0; i < row.size() && left > 0; ++i) {
      const bool last = i + 1 == row.size();
      const std::string text = plain_text(row[i].text).substr(0, left);
      line += screen.color ? colored(text, row[i].tone) : text;
      left -= text.size();
      if (last) break;
      const size_t gap = std::min(left, widths[i] + 2 - text.size());
      line += std::string(gap, ' ');
      left -= gap;
    }
    lines.push_back(line);
  }
  return lines;
}

std::string state_of(const NodeView& node) {
  if (!node.slurm_state.empty()) return node.slurm_state;
  return node.running ? "on" : "off";
}

std::string remark_of(const NodeView& node) {
  std::string remark = join(node.faults, ", ");
  if (!remark.empty()) remark = "fault: " + remark;
  if (!node.reason.empty()) remark += (remark.empty() ? "" : "; ") + node.reason;
  return remark;
}

Cell state_cell(const std::string& state) {
  return {state, state == "off" ? Tone::bad : tone_of(state)};
}

std::vector<Row> a_row_each(const DeploymentView& view) {
  std::vector<Row> rows = {{{"NODE", Tone::faint},
                            {"ROLE", Tone::faint},
                            {"POWER", Tone::faint},
                            {"STATE", Tone::faint},
                            {"FAULTS AND REASON", Tone::faint}}};
  for (const NodeView& node : view.nodes) {
    rows.push_back({{node.name},
                    {node.role},
                    {node.running ? "on" : "off", node.running ? Tone::plain : Tone::faint},
                    state_cell(state_of(node)),
                    {remark_of(node), node.faults.empty() ? Tone::plain : Tone::warning}});
  }
  return rows;
}

// Nodes with the same partition, state and remark share a row.
std::vector<Row> rows_for_similar_nodes(const DeploymentView& view) {
  using Key = std::tuple<int, std::string, std::string, std::string>;
  std::map<Key, std::vector<std::string>> groups;
  for (const NodeView& node : view.nodes) {
    const std::string where = node.role == "compute" ? join(node.partitions, ",") : node.role;
    const std::string state = state_of(node);
    const bool hurt = !node.faults.empty();
    groups[{hurt ? -1 : urgency(state), where, state, remark_of(node)}].push_back(node.name);
  }
  std::vector<Row> rows = {{{"PARTITION", Tone::faint},
                            {"STATE", Tone::faint},
                            {"NODES", Tone::faint},
                            {"NAMES, FAULTS AND REASON", Tone::faint}}};
  for (const auto& [key, names] : groups) {
    const auto& [order, where, state, remark] = key;
    rows.push_back({{where},
                    state_cell(state),
                    {std::to_string(names.size())},
                    {host_list(names) + (remark.empty() ? "" : "  " + remark),
                     order < 0 ? Tone::warning : Tone::plain}});
  }
  return rows;
}

std::vector<Row> job_rows(const DeploymentView& view) {
  if (!view.slurm.answers) {
    return {{{"jobs unknown", Tone::bad}}, {{slurm_remark(view), Tone::bad}}};
  }
  if (view.jobs.empty()) return {{{"no jobs", Tone::faint}}};
  std::vector<Row> rows = {{{"JOB", Tone::faint},
                            {"NAME", Tone::faint},
                            {"STATE", Tone::faint},
                            {"NODES", Tone::faint},
                            {"WHERE, OR WHY NOT", Tone::faint}}};
  for (const JobView& job : view.jobs) {
    rows.push_back({{job.id},
                    {job.name},
                    {job.state, job.state == "RUNNING" ? Tone::busy : Tone::plain},
                    {std::to_string(job.nodes)},
                    {job.node_list}});
  }
  return rows;
}

// Drops lines that do not fit and adds a last line that counts them.
void cut(std::vector<std::string>& lines, size_t room, const Screen& screen) {
  if (lines.size() <= room) return;
  const size_t kept = room == 0 ? 0 : room - 1;
  const std::string rest = fmt::format("and {} more", lines.size() - kept);
  lines.resize(kept);
  if (room > 0) lines.push_back(rest.substr(0, screen.columns));
}

}  // namespace

std::vector<std::string> draw_status(const DeploymentView& view, const Screen& screen,
                                     const std::string& when) {
  const auto down = std::ranges::count_if(view.nodes, [](const NodeView& node) {
    return state_cell(state_of(node)).tone == Tone::bad;
  });
  std::vector<std::string> lines =
      lay_out({{{view.name + ": " + view.state, view.state == "running" ? Tone::good : Tone::bad},
                {counted(view.nodes.size(), "node")},
                {view.slurm.answers ? fmt::format("{} down", down) : "states unknown",
                 down > 0 ? Tone::bad : Tone::plain},
                {view.slurm.answers ? counted(view.jobs.size(), "job") : "jobs unknown",
                 view.slurm.answers ? Tone::plain : Tone::bad},
                {when, Tone::faint}}},
              screen);
  const std::vector<std::string> jobs = lay_out(job_rows(view), screen);
  std::vector<std::string> nodes = lay_out(a_row_each(view), screen);
  const size_t frame = lines.size() + 2;  // plus an empty line before each part
  // Jobs get at least a quarter of the screen.
  const size_t for_jobs = std::min(jobs.size(), std::max<size_t>(2, screen.rows / 4));
  const size_t for_nodes = screen.rows > frame + for_jobs ? screen.rows - frame - for_jobs : 1;
  if (nodes.size() > for_nodes) nodes = lay_out(rows_for_similar_nodes(view), screen);
  cut(nodes, for_nodes, screen);
  lines.emplace_back();
  lines.insert(lines.end(), nodes.begin(), nodes.end());
  lines.emplace_back();
  std::vector<std::string> shown = jobs;
  cut(shown, screen.rows > lines.size() ? screen.rows - lines.size() : 0, screen);
  lines.insert(lines.end(), shown.begin(), shown.end());
  if (lines.size() > screen.rows) lines.resize(screen.rows);
  return lines;
}

}  // namespace slipway::local
