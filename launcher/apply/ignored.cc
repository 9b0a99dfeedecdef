// Finds and removes the ignored attributes.
#include "launcher/apply/ignored.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace slipway::apply {
namespace {

using Body = nlohmann::ordered_json;

// ["metadata", "ssh-keys"] of `metadata["ssh-keys"]`
std::vector<std::string> steps_of(const std::string& path) {
  std::vector<std::string> steps;
  std::string step;
  for (const char c : path + ".") {
    if (c == '"') continue;
    if (c != '.' && c != '[' && c != ']') {
      step += c;
    } else if (!step.empty()) {
      steps.push_back(std::move(step));
      step.clear();
    }
  }
  return steps;
}

bool is_number(const std::string& text) {
  return text.find_first_not_of("0123456789") == std::string::npos && text.size() < 6;
}

void remove(Body& value, const std::vector<std::string>& steps, size_t at) {
  // In a definition, a single block may be there without its list.
  if (value.is_object() && is_number(steps[at])) {
    if (at + 1 < steps.size()) remove(value, steps, at + 1);
  } else if (value.is_array() && is_number(steps[at])) {
    const size_t position = std::stoul(steps[at]);
    if (position < value.size() && at + 1 < steps.size()) remove(value[position], steps, at + 1);
  } else if (value.is_object()) {
    const auto found = value.find(steps[at]);
    if (found == value.end()) return;
    if (at + 1 == steps.size()) {
      value.erase(found);
    } else {
      remove(*found, steps, at + 1);
    }
  }
}

}  // namespace

Body without_ignored(Body body) {
  const auto lifecycle = body.find("lifecycle");
  if (!body.is_object() || lifecycle == body.end() || !lifecycle->is_object()) return body;
  const Body ignored = lifecycle->value("ignore_changes", Body::array());
  if (ignored == "all") return Body::object();
  for (const Body& path : ignored) {
    if (!path.is_string()) continue;
    const std::vector<std::string> steps = steps_of(path.get<std::string>());
    if (!steps.empty()) remove(body, steps, 0);
  }
  return body;
}

}  // namespace slipway::apply
