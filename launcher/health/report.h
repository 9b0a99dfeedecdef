// The verdicts of many nodes, as a table and as a page.
#pragma once

#include <ctime>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "launcher/health/policy.h"

namespace slipway::health {

struct ReportedFinding {
  std::string check, device, evidence, because;
  Action action = Action::none;
};

struct ReportedNode {
  std::string name;
  std::string time;  // of the look, "2026-01-31T12:00:00Z"; empty: nobody has looked, or why not
  std::string trouble;
  Action action = Action::none;
  std::vector<std::string> checks;  // that were made
  std::vector<ReportedFinding> findings;
};

// One verdict (schema slipway/health/1). Throws Error when it is none.
ReportedNode reported_node(const nlohmann::json& verdict);

// The verdicts in a text: one JSON value after the other. Throws Error with `name`.
std::vector<ReportedNode> read_verdicts(std::string_view text, const std::string& name);

// The worst first, then by name.
void sort_nodes(std::vector<ReportedNode>& nodes);

// A line for each finding, and how many nodes are healthy.
std::string as_table(const std::vector<ReportedNode>& nodes);

// Nodes by checks, in one HTML file that needs no other. `title` and everything in it is text.
std::string as_page(const std::vector<ReportedNode>& nodes, const std::string& title,
                    std::time_t now);

}  // namespace slipway::health
