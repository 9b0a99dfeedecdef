// Metrics as the text that Prometheus reads: the text format 0.0.4, and OpenMetrics 1.0.
// https://prometheus.io/docs/instrumenting/exposition_formats/
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/observe/metric_table.h"

namespace slipway::observe {

using Labels = std::vector<std::pair<std::string_view, std::string>>;

// Collects samples, in any order.
class MetricSet {
 public:
  // `name` is in the table, and `labels` are those that it has there, in that order. Long values
  // are cut. The same labels again replace the value.
  void add(std::string_view name, const Labels& labels, double value);

  // The text format: families in the order of the table, each with its help and type.
  std::string text() const;

 private:
  std::map<const Metric*, std::map<std::string, double>> samples_;  // by labels as text
};

// The same metrics in OpenMetrics.
std::string to_openmetrics(std::string_view text);

// A value as both formats have it: whole numbers without a point.
std::string value_text(double value);

}  // namespace slipway::observe
