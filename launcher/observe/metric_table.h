// Every metric that Slipway exposes: its name, type and meaning.
//
// Names follow Prometheus' naming practices: the prefix is the application's, the unit is the last
// word, base units only, and counters end with _total.
// https://prometheus.io/docs/practices/naming/
#pragma once

#include <span>
#include <string_view>

namespace slipway::observe {

enum class MetricType { gauge, counter };

struct Metric {
  std::string_view name;
  MetricType type = MetricType::gauge;
  std::string_view help;    // one sentence, without a full stop
  std::string_view labels;  // their names, separated by spaces
};

std::string_view name_of(MetricType type);

std::span<const Metric> metric_table();

// Null if there is no such metric.
const Metric* find_metric(std::string_view name);

}  // namespace slipway::observe
