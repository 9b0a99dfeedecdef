// The types of values, and the common type to which several can be converted: for the members of a
// list and the two results of a conditional.
#pragma once

#include <optional>
#include <vector>

#include "launcher/expression/type.h"

namespace slipway::expression {

// Null and unknown values have the type `any`, which unifies with every type.
Type type_of(const Value& value);

// The common type of all these types: a string for a number and a string, an object with unified
// attributes, a map for objects with different attributes. Nothing if there is no such type.
std::optional<Type> unify(const std::vector<Type>& types);

// "a list of numbers": for messages.
std::string describe(const Type& type);

// A set of the values: sorted, without duplicates. Unchanged if a value is not fully known.
Value make_set(Value::List members);

// Whether two values are equal in HCL, where a list is not equal to a tuple. Nothing if that
// depends on something unknown.
std::optional<bool> equal(const Value& a, const Value& b);

}  // namespace slipway::expression
