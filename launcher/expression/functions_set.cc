// Functions for sets, and setproduct(), which also takes lists.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "launcher/expression/arguments.h"
#include "launcher/expression/budget.h"
#include "launcher/expression/unify.h"

namespace slipway::expression {
namespace {

using Collection = Value::Collection;

// The sets, with all members converted to one type.
std::vector<List> alike(const List& arguments) {
  const Value all = as_list(arguments);
  std::vector<List> sets;
  for (const Value& set : *all.as<List>()) sets.push_back(*make_set(*set.as<List>()).as<List>());
  return sets;
}

bool has(const List& set, const Value& value) {
  spend(set.size() / 8);
  return std::find(set.begin(), set.end(), value) != set.end();
}

Result setintersection(const List& arguments) {
  const std::vector<List> sets = alike(arguments);
  List out;
  for (const Value& member : sets[0]) {
    const auto in = [&](const List& set) { return has(set, member); };
    if (std::all_of(sets.begin() + 1, sets.end(), in)) out.push_back(member);
  }
  return make_set(std::move(out));
}

Result setsubtract(const List& arguments) {
  const std::vector<List> sets = alike(arguments);
  List out;
  for (const Value& member : sets[0]) {
    if (!has(sets[1], member)) out.push_back(member);
  }
  return make_set(std::move(out));
}

Result setunion(const List& arguments) {
  List out;
  for (const List& set : alike(arguments)) out.insert(out.end(), set.begin(), set.end());
  return make_set(std::move(out));
}

Result setproduct(const List& arguments) {
  if (arguments.size() < 2) throw Error("at least two lists are needed");
  size_t size = 1;
  bool sets = true;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].is_unknown()) return std::nullopt;
    const bool is_set = arguments[i].is_set();
    if (is_set && !arguments[i].is_known()) return std::nullopt;
    const List& list = list_at(arguments, i);
    sets = sets && is_set;
    size *= list.size();
    if (size * arguments.size() > largest_text / 8) {
      throw Error("the product is too large");
    }
  }
  spend(size * arguments.size());
  List out{Value(List{})};
  for (const Value& argument : arguments) {
    const Value column = argument.is_set() ? argument : as_list(*argument.as<List>());
    List longer;
    for (const Value& row : out) {
      for (const Value& item : *column.as<List>()) {
        List next = *row.as<List>();
        next.push_back(item);
        longer.emplace_back(std::move(next));
      }
    }
    out = std::move(longer);
  }
  return as_collection(std::move(out), sets ? Collection::set : Collection::list);
}

constexpr std::array set_table = std::to_array<Function>({
    {"setintersection", "set(any), set(any)...", setintersection},
    {"setproduct", "any...", setproduct, Takes::shapes},
    {"setsubtract", "set(any), set(any)", setsubtract},
    {"setunion", "set(any), set(any)...", setunion},
});

}  // namespace

std::span<const Function> set_functions() {
  return set_table;
}

}  // namespace slipway::expression
