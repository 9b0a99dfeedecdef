// Prints values and types of the blueprint language.
#include "launcher/commands/values.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "launcher/expression/expression.h"
#include "launcher/expression/full_text.h"

namespace slipway::commands {

using expression::Type;
using expression::Value;
using Json = nlohmann::ordered_json;

namespace {

Json number(Value::Number number) {
  if (std::nearbyint(number) != number || std::fabs(number) >= 9e18L) {
    return static_cast<double>(number);
  }
  return static_cast<int64_t>(number);
}

}  // namespace

Json to_json(const Value& value) {
  if (const auto* boolean = value.as<bool>()) return *boolean;
  if (const auto* n = value.as<Value::Number>()) return number(*n);
  if (const auto* text = value.as<std::string>()) return *text;
  if (const auto* list = value.as<Value::List>()) {
    Json out = Json::array();
    for (const Value& item : *list) out.push_back(to_json(item));
    return out;
  }
  if (const auto* object = value.as<Value::Object>()) {
    Json out = Json::object();
    for (const auto& [name, member] : *object) out[name] = to_json(member);
    return out;
  }
  if (const auto* unknown = value.as<expression::Unknown>()) {
    return "((" + expression::to_hcl(*unknown->expression) + "))";
  }
  return nullptr;
}

std::string one_line(const Value& value) {
  return expression::full_text(value, 0);
}

std::string to_text(const Value& value, size_t columns) {
  return expression::full_text(value, columns);
}

std::string full_type(const Type& type, size_t columns) {
  return expression::full_text(type, columns);
}

}  // namespace slipway::commands
