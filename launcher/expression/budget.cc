// Limits on the work and memory of one evaluation.
//
// The limits are far above what a blueprint needs and are reached in a fraction of a second: a unit
// is at most a hundred bytes and less than a microsecond.
#include "launcher/expression/budget.h"

#include <fmt/core.h>

#include "common/error.h"

namespace slipway::expression {
namespace {

constexpr size_t work_limit = 1'000'000;
constexpr size_t text_unit = 8;          // bytes
constexpr size_t value_limit = 250'000;  // of one value
constexpr int value_depth_limit = 600;

thread_local size_t budgets = 0;
thread_local size_t spent = 0;

size_t weight(const Value& value, int depth) {
  if (depth > value_depth_limit) throw Error("this value is nested too deeply");
  if (const auto* text = value.as<std::string>()) return 1 + text->size() / text_unit;
  size_t sum = 1;
  if (const auto* list = value.as<Value::List>()) {
    for (const Value& item : *list) sum += weight(item, depth + 1);
  } else if (const auto* object = value.as<Value::Object>()) {
    for (const auto& [key, member] : *object) {
      sum += 1 + key.size() / text_unit + weight(member, depth + 1);
    }
  }
  return sum;
}

}  // namespace

Budget::Budget() {
  if (budgets++ == 0) spent = 0;
}

Budget::~Budget() {
  --budgets;
}

void spend(size_t units) {
  spent += units;
  if (spent > work_limit) throw Error("this takes too much work to evaluate");
}

void spend_text(size_t bytes) {
  if (bytes > largest_text) {
    throw Error(fmt::format("a string of {} bytes is too large", bytes));
  }
  spend(bytes / text_unit);
}

void spend_value(const Value& value) {
  const size_t units = weight(value, 0);
  if (units > value_limit) throw Error("this value is too large");
  spend(units);
}

}  // namespace slipway::expression
