// Tests of the text formats of metrics.
#include "launcher/observe/metric_text.h"

#include <stdexcept>

#include "common/text.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::observe;

TEST_CASE("metrics: a family has its help, its type and its samples, in the order of the table") {
  MetricSet set;
  set.add("slipway_gpu_energy_joules_total", {{"node", "n-0"}, {"gpu", "1"}}, 12.5);
  set.add("slipway_node_fit", {{"node", "n-0"}}, 1);
  set.add("slipway_slurm_up", {}, 0);
  CHECK(set.text() ==
        "# HELP slipway_node_fit 1 if a job may start on the node by its last health check, else "
        "0\n"
        "# TYPE slipway_node_fit gauge\n"
        "slipway_node_fit{node=\"n-0\"} 1\n"
        "# HELP slipway_gpu_energy_joules_total Energy that the GPU used since its driver was "
        "loaded\n"
        "# TYPE slipway_gpu_energy_joules_total counter\n"
        "slipway_gpu_energy_joules_total{node=\"n-0\",gpu=\"1\"} 12.5\n"
        "# HELP slipway_slurm_up 1 if slurmctld answered the last time, else 0\n"
        "# TYPE slipway_slurm_up gauge\n"
        "slipway_slurm_up 0\n");
}

TEST_CASE("metrics: OpenMetrics names a counter's family without _total, and ends with EOF") {
  MetricSet set;
  set.add("slipway_gpu_energy_joules_total", {{"node", "n"}, {"gpu", "0"}}, 1);
  CHECK(to_openmetrics(set.text()) ==
        "# HELP slipway_gpu_energy_joules Energy that the GPU used since its driver was loaded\n"
        "# TYPE slipway_gpu_energy_joules counter\n"
        "slipway_gpu_energy_joules_total{node=\"n\",gpu=\"0\"} 1\n"
        "# EOF\n");
  CHECK(to_openmetrics("") == "# EOF\n");
}

TEST_CASE("metrics: a label's value cannot end the line, the quotes or the file") {
  MetricSet set;
  set.add("slipway_node_fit", {{"node", "a\"} 1\nslipway_node_fit{node=\"b\\\x80"}}, 0);
  set.add("slipway_node_fit", {{"node", std::string(1000, 'x')}}, 0);
  const std::string text = set.text();
  CHECK(text.find("{node=\"a\\\"} 1?slipway_node_fit{node=\\\"b\\\\?\"} 0\n") != text.npos);
  CHECK(text.size() < 600);
}

TEST_CASE("metrics: unknown metrics and labels are mistakes of ours") {
  MetricSet set;
  CHECK_THROWS_AS(set.add("slipway_other", {}, 1), std::logic_error);
  CHECK_THROWS_AS(set.add("slipway_node_fit", {{"host", "n"}}, 1), std::logic_error);
  CHECK_THROWS_AS(set.add("slipway_node_fit", {}, 1), std::logic_error);
}

TEST_CASE("metrics: numbers keep their value") {
  CHECK(value_text(1764104261) == "1764104261");
  CHECK(value_text(0.25) == "0.25");
  CHECK(value_text(-1) == "-1");
  CHECK(value_text(1.98e9) == "1980000000");
}

TEST_CASE("metrics: names follow Prometheus' practices") {
  for (const Metric& metric : metric_table()) {
    CAPTURE(metric.name);
    CHECK(metric.name.starts_with("slipway_"));
    CHECK(metric.name.ends_with("_total") == (metric.type == MetricType::counter));
    CHECK_FALSE(metric.help.ends_with("."));
    for (const char* other : {"_milli", "_percent", "_minutes", "_kib", "_mhz", "_mib"}) {
      CHECK(metric.name.find(other) == metric.name.npos);
    }
    for (const std::string& label : split(metric.labels, ' ')) {
      CHECK(label.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == label.npos);
    }
  }
}
