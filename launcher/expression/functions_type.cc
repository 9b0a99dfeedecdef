// Functions for conversion and sensitivity.
#include <fmt/core.h>

#include <array>

#include "launcher/expression/arguments.h"
#include "launcher/expression/unify.h"

namespace slipway::expression {
namespace {

using Kind = Type::Kind;

template <Kind kind>
Result to(const List& arguments) {
  if (arguments[0].is_unknown()) return std::nullopt;
  constexpr bool collection = kind == Kind::list || kind == Kind::set || kind == Kind::map;
  const Type type{kind, collection ? std::vector<Type>{Type{}} : std::vector<Type>{}, {}};
  std::vector<Mismatch> mismatches;
  Value value = convert(arguments[0], type, mismatches);
  if (!mismatches.empty()) {
    const Mismatch& first = mismatches[0];
    const std::string place = first.path.empty() ? "" : fmt::format("at {}: ", first.path);
    throw ArgumentError(0, "cannot be converted: " + place + first.message);
  }
  if (value.is_set() && !value.is_known()) return std::nullopt;
  return value;
}

Result sensitive(const List& arguments) {
  Value value = arguments[0];
  value.sensitive = true;
  return value;
}

Result nonsensitive(const List& arguments) {
  if (arguments[0].is_unknown()) return std::nullopt;
  Value value = arguments[0];
  value.sensitive = false;
  return value;
}

Result issensitive(const List& arguments) {
  if (arguments[0].sensitive) return true;
  if (arguments[0].is_unknown()) return std::nullopt;
  return false;
}

// No value in a blueprint is ephemeral.
Result ephemeralasnull(const List& arguments) {
  if (!arguments[0].is_known()) return std::nullopt;
  return arguments[0];
}

constexpr std::array type_table = std::to_array<Function>({
    {"can", "any|null", nullptr, Takes::expressions},
    {"ephemeralasnull", "any|null", ephemeralasnull, Takes::marks},
    {"issensitive", "any|null", issensitive, Takes::marks},
    {"nonsensitive", "any|null", nonsensitive, Takes::marks},
    {"sensitive", "any|null", sensitive, Takes::marks},
    {"templatestring", "string, any", nullptr, Takes::expressions},
    {"tobool", "any|null", to<Kind::boolean>, Takes::shapes},
    {"tolist", "any|null", to<Kind::list>, Takes::shapes},
    {"tomap", "any|null", to<Kind::map>, Takes::shapes},
    {"tonumber", "any|null", to<Kind::number>, Takes::shapes},
    {"toset", "any|null", to<Kind::set>, Takes::shapes},
    {"tostring", "any|null", to<Kind::string>, Takes::shapes},
    {"try", "any|null, any|null...", nullptr, Takes::expressions},
});

}  // namespace

std::span<const Function> type_functions() {
  return type_table;
}

}  // namespace slipway::expression
