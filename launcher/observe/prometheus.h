// Asks Prometheus over its HTTP API: https://prometheus.io/docs/prometheus/latest/querying/api/
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace slipway::observe {

using LabelValues = std::map<std::string, std::string>;

struct Sample {
  LabelValues labels;
  double value = 0;
};

struct Curve {
  LabelValues labels;
  std::vector<std::pair<double, double>> points;  // seconds since 1970, value
};

struct Alert {
  std::string name, severity, node, summary;
  std::string since;  // "2026-01-31T12:00:00Z"
};

class Prometheus {
 public:
  // Gets the text at a URL; throws Error.
  using Get = std::function<std::string(const std::string& url)>;

  explicit Prometheus(std::string url);  // "http://controller:9090"; asks with curl
  Prometheus(std::string url, Get get) : url_(std::move(url)), get_(std::move(get)) {}

  // All throw Error if Prometheus does not answer, or refuses the expression.
  std::vector<Sample> now(const std::string& expression) const;
  std::vector<Curve> curves(const std::string& expression, int64_t from, int64_t to,
                            int64_t step_seconds) const;
  std::vector<Alert> firing() const;

 private:
  std::string url_;
  Get get_;
};

}  // namespace slipway::observe
