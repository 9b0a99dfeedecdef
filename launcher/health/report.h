// Prints the verdicts of many nodes as a table or an HTML page.
#pragma once

#include <ctime>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "launcher/health/policy.h"

namespace slipway::health {

struct ReportedFinding {
  std::string kind, check, device, evidence, because;
  Action action = Action::none;
  int xid = 0;
};

// When a finding was new.
struct ReportedEvent {
  std::time_t time = 0;
  std::string what;  // "gpu-xid 0000:07:00.0 79"
};

struct ReportedNode {
  std::string name;
  std::string time;     // of the check, "2026-01-31T12:00:00Z"; may be empty
  std::string trouble;  // why there is no verdict; else empty
  Action action = Action::none;
  std::vector<std::string> checks;  // that ran
  std::vector<ReportedFinding> findings;
  std::vector<ReportedEvent> events;  // of the last week, oldest first; empty if not known

  // Notes keep a node in service.
  bool is_healthy() const { return trouble.empty() && action <= Action::note; }

  // Whether a job may start there, as far as its last verdict says.
  bool is_fit() const { return trouble.empty() && action < Action::drain; }
};

// Reads a verdict (schema slipway/health/1). Throws Error if it is not one.
ReportedNode reported_node(const nlohmann::json& verdict);

// The verdicts in a text: one JSON value after another. Throws Error with `name`.
std::vector<ReportedNode> read_verdicts(std::string_view text, const std::string& name);

// The most severe first, then by name.
void sort_nodes(std::vector<ReportedNode>& nodes);

// The events in a node's history.json; none if it is not one.
std::vector<ReportedEvent> read_events(std::string_view history);

// "3 of 4 nodes are healthy".
std::string health_summary(const std::vector<ReportedNode>& nodes);

// A finding that nodes have alike, and their names.
struct SharedFinding {
  const ReportedFinding* finding = nullptr;  // of the first of these nodes
  std::vector<std::string> nodes;
};

// The most severe first, then in the order of `nodes`, which must outlive them.
std::vector<SharedFinding> shared_findings(const std::vector<ReportedNode>& nodes);

// A line per finding, and how many nodes are healthy.
std::string as_table(const std::vector<ReportedNode>& nodes);

// Schema slipway/health-report/1.
std::string as_json(const std::vector<ReportedNode>& nodes);

// What the events of all nodes look like on one time axis, for as_page(); empty without events.
std::string history_picture(const std::vector<ReportedNode>& nodes, std::time_t now);

// Nodes by checks, in a self-contained HTML file. `title` and everything in it is escaped.
std::string as_page(const std::vector<ReportedNode>& nodes, const std::string& title,
                    std::time_t now);

}  // namespace slipway::health
