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
constexpr size_t value_limit = 250'000;  // of one value
constexpr int value_depth_limit = 600;

thread_local size_t budgets = 0;
thread_local size_t spent = 0;

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
  const Extent extent = value.extent();
  if (extent.depth > value_depth_limit) throw Error("this value is nested too deeply");
  if (extent.units > value_limit) throw Error("this value is too large");
  spend(extent.units);
}

}  // namespace slipway::expression
