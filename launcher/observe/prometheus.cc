// Asks Prometheus and reads its answers.
#include "launcher/observe/prometheus.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/json.h"
#include "launcher/node/http.h"

namespace slipway::observe {
namespace {

using nlohmann::json;

std::string get_with_curl(const std::string& url) {
  node::HttpRequest request;
  request.url = url;
  request.headers = {};
  const node::HttpAnswer answer = node::send(request);
  if (answer.status == 0) throw Error(fmt::format("Prometheus does not answer: {}", answer.error));
  return answer.body;  // a refusal has a body that says why
}

// The part `data` of an answer.
json data_of(const std::string& text) try {
  json body = parse_json(text);
  if (body.at("status") == "success") return body.at("data");
  throw Error(fmt::format("Prometheus refused: {}", body.value("error", "without a reason")));
} catch (const json::exception& error) {
  throw Error(fmt::format("not an answer of Prometheus: {}", error.what()));
}

double number_of(const json& text) {
  return std::strtod(text.get<std::string>().c_str(), nullptr);
}

LabelValues labels_of(const json& metric) {
  return metric.get<LabelValues>();
}

// Reads with `read`; what is not as the API has it is an error.
template <class Result, class Read>
Result read_answer(const std::string& text, Read read) {
  const json data = data_of(text);
  try {
    return read(data);
  } catch (const json::exception& error) {
    throw Error(fmt::format("not an answer of Prometheus: {}", error.what()));
  }
}

}  // namespace

Prometheus::Prometheus(std::string url) : url_(std::move(url)), get_(get_with_curl) {
  while (url_.ends_with('/')) url_.pop_back();
}

std::vector<Sample> Prometheus::now(const std::string& expression) const {
  const std::string text =
      get_(fmt::format("{}/api/v1/query?query={}", url_, node::url_encode(expression)));
  return read_answer<std::vector<Sample>>(text, [](const json& data) {
    std::vector<Sample> samples;
    for (const json& one : data.at("result")) {
      samples.push_back({labels_of(one.at("metric")), number_of(one.at("value").at(1))});
    }
    return samples;
  });
}

std::vector<Curve> Prometheus::curves(const std::string& expression, int64_t from, int64_t to,
                                      int64_t step_seconds) const {
  const std::string text =
      get_(fmt::format("{}/api/v1/query_range?query={}&start={}&end={}&step={}", url_,
                       node::url_encode(expression), from, to, step_seconds));
  return read_answer<std::vector<Curve>>(text, [](const json& data) {
    std::vector<Curve> curves;
    for (const json& one : data.at("result")) {
      Curve curve{labels_of(one.at("metric")), {}};
      for (const json& point : one.at("values")) {
        curve.points.emplace_back(point.at(0).get<double>(), number_of(point.at(1)));
      }
      curves.push_back(std::move(curve));
    }
    return curves;
  });
}

std::vector<Alert> Prometheus::firing() const {
  const std::string text = get_(url_ + "/api/v1/alerts");
  return read_answer<std::vector<Alert>>(text, [](const json& data) {
    std::vector<Alert> alerts;
    for (const json& one : data.at("alerts")) {
      if (one.at("state") != "firing") continue;
      const LabelValues labels = labels_of(one.at("labels"));
      const LabelValues notes = labels_of(one.at("annotations"));
      const auto of = [](const LabelValues& all, const char* name) {
        const auto found = all.find(name);
        return found == all.end() ? std::string() : found->second;
      };
      alerts.push_back({of(labels, "alertname"), of(labels, "severity"), of(labels, "node"),
                        of(notes, "summary"),
                        one.at("activeAt").get<std::string>().substr(0, 19) + "Z"});
    }
    std::ranges::sort(alerts, {}, [](const Alert& alert) {
      return std::pair(alert.severity, alert.name + alert.node);
    });
    return alerts;
  });
}

}  // namespace slipway::observe
