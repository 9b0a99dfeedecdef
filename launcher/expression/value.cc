// Values.
#include "launcher/expression/value.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace slipway::expression {

bool Value::is_known() const {
  if (const auto* list = as<List>()) {
    return std::all_of(list->begin(), list->end(), [](const Value& v) { return v.is_known(); });
  }
  if (const auto* object = as<Object>()) {
    return std::all_of(object->begin(), object->end(),
                       [](const auto& member) { return member.second.is_known(); });
  }
  return !is_unknown();
}

bool operator==(const Value& a, const Value& b) {
  if (a.data.index() != b.data.index()) return false;
  return std::visit(
      [&b](const auto& left) {
        using T = std::decay_t<decltype(left)>;
        if constexpr (std::is_same_v<T, Unknown>) {
          return false;
        } else {
          return left == std::get<T>(b.data);
        }
      },
      a.data);
}

std::string_view describe(const Value& value) {
  constexpr std::string_view names[] = {"nothing", "a boolean", "a number",        "a string",
                                        "a list",  "an object", "an unknown value"};
  return names[value.data.index()];
}

std::string number_text(Value::Number number) {
  char text[64];
  if (std::nearbyint(number) == number && std::fabs(number) < 1e19L) {
    std::snprintf(text, sizeof text, "%.0Lf", number);
    return text;
  }
  for (int digits = 1; digits <= 21; ++digits) {
    std::snprintf(text, sizeof text, "%.*Lg", digits, number);
    if (std::strtold(text, nullptr) == number) break;
  }
  return text;
}

}  // namespace slipway::expression
