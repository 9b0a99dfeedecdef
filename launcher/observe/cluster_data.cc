// Reads what the page of a cluster shows from Prometheus.
#include <algorithm>
#include <map>

#include "launcher/observe/cluster_page.h"

namespace slipway::observe {
namespace {

constexpr const char* node_state_expression = "slipway_slurm_node_state == 1";
constexpr const char* job_expression = "slipway_slurm_job_info";

struct NodeFigure {
  const char* expression;
  std::optional<double> NodeRow::*member;
};
constexpr NodeFigure node_figures[] = {
    {"slipway_gpus", &NodeRow::gpus},
    {"avg by (node) (slipway_gpu_utilization_ratio)", &NodeRow::utilization},
    {"max by (node) (slipway_gpu_temperature_celsius)", &NodeRow::celsius},
    {"sum by (node) (slipway_gpu_power_watts)", &NodeRow::watts},
};
constexpr const char* fit_expression = "slipway_node_fit";

struct JobFigure {
  const char* expression;
  std::optional<double> JobRow::*member;
};
constexpr JobFigure job_figures[] = {
    {"slipway_job_goodput_ratio", &JobRow::goodput}, {"slipway_job_step", &JobRow::step},
    {"slipway_job_attempts", &JobRow::attempts},     {"slipway_job_nodes", &JobRow::nodes},
    {"slipway_job_spare_nodes", &JobRow::spares},
};
constexpr const char* goodput_expression = "slipway_job_goodput_seconds";
constexpr const char* badput_expression = "slipway_job_badput_seconds";

constexpr int64_t most_points = 240;

std::vector<Chart> charts_of_page() {
  return {
      {"Nodes by state",
       "nodes",
       1,
       "count by (state) (slipway_slurm_node_state == 1)",
       "state",
       {}},
      {"Power of all GPUs", "kW", 1e-3, "sum(slipway_gpu_power_watts)", "", {}},
      {"GPU utilization by node",
       "%",
       100,
       "avg by (node) (slipway_gpu_utilization_ratio)",
       "node",
       {}},
      {"Hottest GPU by node",
       "°C",
       1,
       "max by (node) (slipway_gpu_temperature_celsius)",
       "node",
       {}},
      {"Goodput of jobs", "%", 100, "slipway_job_goodput_ratio", "job", {}},
      {"Jobs by state", "jobs", 1, "sum by (state) (slipway_slurm_jobs)", "state", {}},
  };
}

const std::string& label_of(const Sample& sample, const char* name) {
  static const std::string none;
  const auto found = sample.labels.find(name);
  return found == sample.labels.end() ? none : found->second;
}

void read_nodes(const Prometheus& prometheus, ClusterPage& page) {
  std::map<std::string, NodeRow> rows;
  for (const Sample& sample : prometheus.now(node_state_expression)) {
    rows[label_of(sample, "node")].state = label_of(sample, "state");
  }
  for (const Sample& sample : prometheus.now(fit_expression)) {
    const auto row = rows.find(label_of(sample, "node"));
    if (row != rows.end()) row->second.fit = sample.value == 1;
  }
  for (const NodeFigure& figure : node_figures) {
    for (const Sample& sample : prometheus.now(figure.expression)) {
      const auto row = rows.find(label_of(sample, "node"));
      if (row != rows.end()) row->second.*figure.member = sample.value;
    }
  }
  for (auto& [name, row] : rows) {
    row.name = name;
    page.nodes.push_back(std::move(row));
  }
}

void read_jobs(const Prometheus& prometheus, ClusterPage& page) {
  std::map<std::string, JobRow> rows;
  for (const Sample& sample : prometheus.now(job_expression)) {
    rows[label_of(sample, "job")].user = label_of(sample, "user");
  }
  for (const JobFigure& figure : job_figures) {
    for (const Sample& sample : prometheus.now(figure.expression)) {
      rows[label_of(sample, "job")].*figure.member = sample.value;
    }
  }
  for (const Sample& sample : prometheus.now(goodput_expression)) {
    rows[label_of(sample, "job")].goodput_seconds = sample.value;
  }
  for (const Sample& sample : prometheus.now(badput_expression)) {
    rows[label_of(sample, "job")].badput_seconds.emplace_back(label_of(sample, "type"),
                                                              sample.value);
  }
  for (auto& [job, row] : rows) {
    row.job = job;
    std::ranges::sort(row.badput_seconds);
    page.jobs.push_back(std::move(row));
  }
}

}  // namespace

std::vector<std::string> page_expressions() {
  std::vector<std::string> all = {node_state_expression, job_expression, fit_expression,
                                  goodput_expression, badput_expression};
  for (const NodeFigure& figure : node_figures) all.emplace_back(figure.expression);
  for (const JobFigure& figure : job_figures) all.emplace_back(figure.expression);
  for (const Chart& chart : charts_of_page()) all.push_back(chart.expression);
  return all;
}

ClusterPage read_cluster(const Prometheus& prometheus, int64_t from, int64_t to) {
  ClusterPage page;
  page.from = from;
  page.to = to;
  page.alerts = prometheus.firing();
  read_nodes(prometheus, page);
  read_jobs(prometheus, page);
  const int64_t step = std::max<int64_t>((to - from) / most_points, 1);
  for (Chart& chart : charts_of_page()) {
    chart.curves = prometheus.curves(chart.expression, from, to, step);
    page.charts.push_back(std::move(chart));
  }
  return page;
}

}  // namespace slipway::observe
