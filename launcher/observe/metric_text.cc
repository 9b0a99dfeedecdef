// Writes metrics in Prometheus' text formats.
#include "launcher/observe/metric_text.h"

#include <fmt/core.h>

#include <cmath>
#include <stdexcept>

#include "common/text.h"

namespace slipway::observe {
namespace {

constexpr size_t longest_label_value = 128;

// Quoted, without control characters and bytes that are not ASCII: a metric must stay readable
// whatever a name contains.
std::string quoted_label(std::string_view value) {
  std::string text = "\"";
  for (const char c : value.substr(0, longest_label_value)) {
    if (c == '\\' || c == '"') text += '\\';
    text += c < ' ' || c > '~' ? '?' : c;
  }
  return text + '"';
}

std::string labels_text(const Metric& metric, const Labels& labels) {
  const std::vector<std::string> names = split(metric.labels, ' ');
  std::string text;
  if (names.size() != labels.size()) throw std::logic_error(std::string(metric.name));
  for (size_t i = 0; i < labels.size(); ++i) {
    if (labels[i].first != names[i]) throw std::logic_error(std::string(metric.name));
    text += fmt::format("{}{}={}", i == 0 ? "{" : ",", names[i], quoted_label(labels[i].second));
  }
  return text.empty() ? text : text + "}";
}

}  // namespace

std::string value_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  constexpr double exact = 1e15;
  if (value == std::floor(value) && std::abs(value) < exact) {
    return fmt::format("{}", static_cast<long long>(value));
  }
  return fmt::format("{}", value);
}

void MetricSet::add(std::string_view name, const Labels& labels, double value) {
  const Metric* const metric = find_metric(name);
  if (metric == nullptr) throw std::logic_error(std::string(name));
  samples_[metric][labels_text(*metric, labels)] = value;
}

std::string MetricSet::text() const {
  std::string text;
  for (const auto& [metric, samples] : samples_) {
    text += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", metric->name, metric->help,
                        name_of(metric->type));
    for (const auto& [labels, value] : samples) {
      text += fmt::format("{}{} {}\n", metric->name, labels, value_text(value));
    }
  }
  return text;
}

std::string to_openmetrics(std::string_view text) {
  constexpr std::string_view total = "_total";
  std::string result;
  result.reserve(text.size() + 16);
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with("# ")) {
      // "# TYPE name type": the family of a counter has no suffix.
      const size_t name_ends = line.find(' ', 7);
      const std::string_view head = line.substr(0, name_ends);
      result += head.ends_with(total) ? head.substr(0, head.size() - total.size()) : head;
      if (name_ends != line.npos) result += line.substr(name_ends);
    } else {
      result += line;
    }
    result += '\n';
  }
  return result + "# EOF\n";
}

}  // namespace slipway::observe
