// Reads the verdicts of many nodes, and prints them as a table.
#include "launcher/health/report.h"

#include <fmt/core.h>
#include <string.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "common/count.h"
#include "common/error.h"
#include "common/host_list.h"
#include "common/json.h"
#include "launcher/health/verdict.h"

namespace slipway::health {
namespace {

using nlohmann::json;

using Row = std::array<std::string, 5>;

void print_row(std::string& text, const Row& row, const std::array<size_t, 5>& widths) {
  for (size_t i = 0; i + 1 < row.size(); ++i) text += fmt::format("{:<{}}  ", row[i], widths[i]);
  text += row.back() + "\n";
}

}  // namespace

ReportedNode reported_node(const json& verdict) {
  try {
    if (verdict.at("schema") != verdict_schema) throw Error("unknown schema");
    ReportedNode node;
    verdict.at("node").get_to(node.name);
    verdict.at("time").get_to(node.time);
    verdict.at("checks").get_to(node.checks);
    node.action = action_named(verdict.at("action").get<std::string>()).value_or(Action::none);
    for (const json& one : verdict.at("findings")) {
      node.findings.push_back(
          {one.at("finding"), one.at("check"), one.at("device"), one.at("evidence"),
           one.at("because"),
           action_named(one.at("action").get<std::string>()).value_or(Action::none),
           one.value("xid", 0)});
    }
    return node;
  } catch (const std::exception& error) {  // from json, or the one above
    throw Error(fmt::format("not a health verdict: {}", error.what()));
  }
}

namespace {

// Where the object that begins at `begin` ends; the text's end if it does not.
size_t end_of_object(std::string_view text, size_t begin) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return i + 1;
    }
  }
  return text.size();
}

}  // namespace

std::vector<ReportedNode> read_verdicts(std::string_view text, const std::string& name) {
  std::vector<ReportedNode> nodes;
  size_t begin = 0;
  while ((begin = text.find('{', begin)) != text.npos) {
    const size_t end = end_of_object(text, begin);
    try {
      nodes.push_back(reported_node(parse_json(text.substr(begin, end - begin))));
    } catch (const Error& error) {
      throw error.within(name);
    }
    begin = end;
  }
  if (nodes.empty()) throw Error(fmt::format("{} contains no health verdict", name));
  return nodes;
}

std::vector<ReportedEvent> read_events(std::string_view history) {
  std::vector<ReportedEvent> events;
  try {
    const json body = parse_json(history);
    for (const json& one : body.at("events")) {
      ReportedEvent event{one.at(0), one.at(1)};
      std::ranges::replace(event.what, '|', ' ');
      events.push_back(std::move(event));
    }
  } catch (const std::exception&) {  // a node without history, or an older one
    events.clear();
  }
  return events;
}

std::string health_summary(const std::vector<ReportedNode>& nodes) {
  return fmt::format("{} of {} nodes are healthy",
                     std::ranges::count_if(nodes, &ReportedNode::is_healthy), nodes.size());
}

void sort_nodes(std::vector<ReportedNode>& nodes) {
  std::ranges::sort(nodes, [](const ReportedNode& a, const ReportedNode& b) {
    if (a.action != b.action) return a.action > b.action;
    if (a.trouble.empty() != b.trouble.empty()) return b.trouble.empty();
    return ::strverscmp(a.name.c_str(), b.name.c_str()) < 0;  // node-2 before node-10
  });
}

std::vector<SharedFinding> shared_findings(const std::vector<ReportedNode>& nodes) {
  std::vector<SharedFinding> groups;
  std::map<Row, size_t> places;
  for (const ReportedNode& node : nodes) {
    for (const ReportedFinding& one : node.findings) {
      const Row alike = {std::string(name_of(one.action)), one.check, one.device, one.evidence,
                         one.because};
      const auto [place, is_new] = places.try_emplace(alike, groups.size());
      if (is_new) groups.push_back({&one, {}});
      groups[place->second].nodes.push_back(node.name);
    }
  }
  std::ranges::stable_sort(groups, std::greater(),
                           [](const SharedFinding& group) { return group.finding->action; });
  return groups;
}

namespace {

// Rows that differ in the node alone, which is not in the row yet.
struct Alike {
  Row row;
  std::vector<std::string> nodes;
};

std::vector<Alike> alike_rows(const std::vector<ReportedNode>& nodes) {
  std::vector<Alike> groups;
  for (SharedFinding& shared : shared_findings(nodes)) {
    const ReportedFinding& one = *shared.finding;
    if (one.action == Action::none) continue;
    groups.push_back({{"", std::string(name_of(one.action)), one.check, one.device, one.evidence},
                      std::move(shared.nodes)});
  }
  for (const ReportedNode& node : nodes) {
    if (node.trouble.empty()) continue;
    const Row row = {"", "unknown", "", "", node.trouble};
    auto group = std::ranges::find(groups, row, &Alike::row);
    if (group == groups.end()) group = groups.insert(group, {row, {}});
    group->nodes.push_back(node.name);
  }
  return groups;
}

// A row for each node; of many nodes one, and their list below it.
std::vector<Row> rows_of(const Alike& alike) {
  std::vector<Row> rows;
  const auto add = [&](std::string name) {
    rows.push_back(alike.row);
    rows.back()[0] = std::move(name);
  };
  if (alike.nodes.size() > most_single_names) {
    add(counted(alike.nodes.size(), "node"));
  } else {
    for (const std::string& node : alike.nodes) add(node);
  }
  return rows;
}

}  // namespace

std::string as_table(const std::vector<ReportedNode>& nodes) {
  const Row header = {"NODE", "ACTION", "CHECK", "DEVICE", "EVIDENCE"};
  const std::vector<Alike> groups = alike_rows(nodes);
  std::array<size_t, 5> widths = {};
  const auto fit = [&widths](const Row& row) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  };
  fit(header);
  for (const Alike& group : groups) std::ranges::for_each(rows_of(group), fit);
  std::string text;
  if (!groups.empty()) print_row(text, header, widths);
  for (const Alike& group : groups) {
    for (const Row& row : rows_of(group)) print_row(text, row, widths);
    if (group.nodes.size() > most_single_names) {
      text += fmt::format("  {}\n", host_list(group.nodes));
    }
  }
  if (!groups.empty()) text += "\n";
  return text + health_summary(nodes) + "\n";
}

std::string as_json(const std::vector<ReportedNode>& nodes) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const ReportedNode& node : nodes) {
    Json findings = Json::array();
    for (const ReportedFinding& one : node.findings) {
      findings.push_back({{"action", name_of(one.action)},
                          {"check", one.check},
                          {"device", one.device},
                          {"evidence", one.evidence},
                          {"because", one.because}});
    }
    Json entry{{"node", node.name}, {"fit", node.is_fit()}};
    if (node.trouble.empty()) {
      entry.update({{"action", name_of(node.action)}, {"time", node.time}});
      entry["findings"] = std::move(findings);
    } else {
      entry["trouble"] = node.trouble;
    }
    list.push_back(std::move(entry));
  }
  return Json{{"schema", "slipway/health-report/1"}, {"nodes", std::move(list)}}.dump(2) + "\n";
}

}  // namespace slipway::health
