// Functions for lists.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "launcher/expression/arguments.h"
#include "launcher/expression/budget.h"
#include "launcher/expression/unify.h"

namespace slipway::expression {
namespace {

using Collection = Value::Collection;

// A list, not a set, which has no order.
const List& ordered_at(const List& arguments, size_t i) {
  if (arguments[i].is_set()) throw ArgumentError(i, "is a set, which has no order: use tolist()");
  return list_at(arguments, i);
}

Result chunklist(const List& arguments) {
  if (arguments[0].is_unknown() || arguments[1].is_unknown()) return std::nullopt;
  const List& list = list_at(arguments, 0);
  auto size = static_cast<size_t>(integer_at(arguments, 1, 0));
  if (size == 0) size = std::max<size_t>(1, list.size());
  List out;
  for (size_t at = 0; at < list.size();) {
    const size_t end = at + std::min(size, list.size() - at);
    out.push_back(list_value({list.begin() + static_cast<std::ptrdiff_t>(at),
                              list.begin() + static_cast<std::ptrdiff_t>(end)}));
    at = end;
  }
  return list_value(std::move(out));
}

Result compact(const List& arguments) {
  List out;
  for (const Value& item : list_at(arguments, 0)) {
    if (!item.is_null() && !item.as<std::string>()->empty()) out.push_back(item);
  }
  return list_value(std::move(out));
}

Result concat(const List& arguments) {
  List out;
  bool lists = true;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].is_unknown()) return std::nullopt;
    const List& list = ordered_at(arguments, i);
    lists = lists && arguments[i].collection == Collection::list;
    out.insert(out.end(), list.begin(), list.end());
  }
  if (!lists) return out;
  std::vector<Type> types;
  for (const Value& item : out) types.push_back(type_of(item));
  return unify(types) ? as_list(std::move(out)) : Value(std::move(out));
}

Result distinct(const List& arguments) {
  const List& list = list_at(arguments, 0);
  List sorted = *make_set(list).as<List>();
  if (sorted.size() == list.size()) return list_value(list);
  List out;
  for (const Value& item : list) {
    const auto found = std::find(sorted.begin(), sorted.end(), item);
    if (found == sorted.end()) continue;
    out.push_back(item);
    sorted.erase(found);
    spend(sorted.size() / 8);
  }
  return list_value(std::move(out));
}

// element(list, index): the index wraps around at the end.
Result element(const List& arguments) {
  if (arguments[0].is_unknown() || arguments[1].is_unknown()) return std::nullopt;
  const List& list = ordered_at(arguments, 0);
  const int64_t index = integer_at(arguments, 1, 0);
  if (list.empty()) throw ArgumentError(0, "is an empty list");
  return list[static_cast<size_t>(index) % list.size()];
}

bool flatten_into(const Value& value, List& out) {
  const auto* list = value.as<List>();
  if (list == nullptr) {
    out.push_back(value);
    return !value.is_unknown();  // an unknown value may be a list of any length
  }
  if (value.is_set() && !value.is_known()) return false;
  return std::all_of(list->begin(), list->end(),
                     [&](const Value& item) { return flatten_into(item, out); });
}

Result flatten(const List& arguments) {
  if (arguments[0].is_unknown()) return std::nullopt;
  list_at(arguments, 0);
  List out;
  if (!flatten_into(arguments[0], out)) return std::nullopt;
  return out;
}

Result index(const List& arguments) {
  if (arguments[0].is_unknown()) return std::nullopt;
  const List& list = ordered_at(arguments, 0);
  for (size_t i = 0; i < list.size(); ++i) {
    const auto same = equal(list[i], arguments[1]);
    if (!same) return std::nullopt;
    if (*same) return static_cast<Number>(i);
  }
  throw ArgumentError(1, "is not in the list");
}

// matchkeys(values, keys, wanted): the values whose key is in `wanted`.
Result matchkeys(const List& arguments) {
  const List& values = list_at(arguments, 0);
  const Value both = as_list({arguments[1], arguments[2]});
  const List& keys = *(*both.as<List>())[0].as<List>();
  const List& wanted = *(*both.as<List>())[1].as<List>();
  if (values.size() != keys.size()) {
    throw Error(fmt::format("there are {} values but {} keys", values.size(), keys.size()));
  }
  List out;
  for (size_t i = 0; i < keys.size(); ++i) {
    spend(wanted.size());
    if (std::find(wanted.begin(), wanted.end(), keys[i]) != wanted.end()) out.push_back(values[i]);
  }
  return list_value(std::move(out));
}

// range(end), range(begin, end), range(begin, end, step); Terraform has the same limit.
Result range(const List& arguments) {
  constexpr size_t most = 1024;
  const bool has_begin = arguments.size() > 1;
  const Number begin = has_begin ? number_at(arguments, 0) : 0;
  const Number end = number_at(arguments, has_begin ? 1 : 0);
  const Number step = arguments.size() > 2 ? number_at(arguments, 2) : end < begin ? -1 : 1;
  if (step == 0) throw ArgumentError(2, "is 0");
  if (arguments.size() > 2 && (step < 0) != (end < begin) && begin != end) {
    throw ArgumentError(
        2, fmt::format("is {}, which moves away from the end", short_number_text(step)));
  }
  List out;
  for (Number number = begin; step < 0 ? number > end : number < end; number += step) {
    if (out.size() >= most)
      throw Error(fmt::format("the list would have more than {} members", most));
    out.emplace_back(number);
  }
  return list_value(std::move(out));
}

Result reverse(const List& arguments) {
  if (arguments[0].is_unknown()) return std::nullopt;
  List list = list_at(arguments, 0);
  if (arguments[0].is_set() && !arguments[0].is_known()) return std::nullopt;
  std::reverse(list.begin(), list.end());
  const bool tuple = arguments[0].collection == Collection::none;
  return as_collection(std::move(list), tuple ? Collection::none : Collection::list);
}

Result slice(const List& arguments) {
  if (arguments[0].is_unknown() || arguments[1].is_unknown() || arguments[2].is_unknown()) {
    return std::nullopt;
  }
  const List& list = ordered_at(arguments, 0);
  const int64_t end = integer_at(arguments, 2, 0, static_cast<int64_t>(list.size()));
  const int64_t begin = integer_at(arguments, 1, 0, end);
  return as_collection(List(list.begin() + begin, list.begin() + end), arguments[0].collection);
}

Result sort(const List& arguments) {
  List list = list_at(arguments, 0);
  for (const Value& item : list) {
    if (item.is_null()) throw ArgumentError(0, "contains null");
  }
  std::sort(list.begin(), list.end(), [](const Value& a, const Value& b) {
    return *a.as<std::string>() < *b.as<std::string>();
  });
  return list_value(std::move(list));
}

constexpr std::array list_table = std::to_array<Function>({
    {"chunklist", "list(any), number", chunklist, Takes::shapes},
    {"compact", "list(string)", compact},
    {"concat", "any, any...", concat, Takes::shapes},
    {"distinct", "list(any)", distinct},
    {"element", "any, number", element, Takes::shapes},
    {"flatten", "any", flatten, Takes::shapes},
    {"index", "any, any", index, Takes::shapes},
    {"matchkeys", "list(any), list(any), list(any)", matchkeys},
    {"range", "number, number?, number?", range},
    {"reverse", "any", reverse, Takes::shapes},
    {"slice", "any, number, number", slice, Takes::shapes},
    {"sort", "list(string)", sort},
});

}  // namespace

std::span<const Function> list_functions() {
  return list_table;
}

}  // namespace slipway::expression
