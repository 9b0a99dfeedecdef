// The page of a cluster: its alerts, nodes and jobs, and curves of the last hours, in one HTML file
// that needs no other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launcher/observe/prometheus.h"

namespace slipway::observe {

struct NodeRow {
  std::string name, state;  // in Slurm
  std::optional<bool> fit;
  std::optional<double> gpus, utilization, celsius, watts;
};

struct JobRow {
  std::string job, user;
  std::optional<double> goodput, step, attempts, nodes, spares;
  std::vector<std::pair<std::string, double>> badput_seconds;
  double goodput_seconds = 0;
};

struct Chart {
  std::string title, unit;
  double scale = 1;        // a value in the unit is the metric's times this
  std::string expression;  // PromQL
  std::string label;       // names the curves; empty: there is one
  std::vector<Curve> curves;
};

struct ClusterPage {
  int64_t from = 0, to = 0;  // since 1970
  std::vector<Alert> alerts;
  std::vector<NodeRow> nodes;
  std::vector<JobRow> jobs;
  std::vector<Chart> charts;
};

// What the page asks, so that a test can ask it too.
std::vector<std::string> page_expressions();

// Throws Error.
ClusterPage read_cluster(const Prometheus& prometheus, int64_t from, int64_t to);

std::string page_text(const ClusterPage& page);

// One chart as SVG.
std::string chart_text(const Chart& chart, int64_t from, int64_t to);

}  // namespace slipway::observe
