// Types of values, and the one type that several can become: what makes lists of tuples and one
// value of a conditional's two.
#pragma once

#include <optional>
#include <vector>

#include "launcher/expression/type.h"

namespace slipway::expression {

// Null and unknown values are `any`, which every type unifies with.
Type type_of(const Value& value);

// The type that values of all these types can become: a string for a number and a string, an object
// whose attributes are unified, a map for objects with different ones. Nothing when there is none.
std::optional<Type> unify(const std::vector<Type>& types);

// "a list of numbers": for messages.
std::string describe(const Type& type);

// A set of the values, sorted and each once: unchanged when one is not wholly known.
Value make_set(Value::List members);

// Whether two values are equal in the language, where a list is not equal to a tuple. Nothing: that
// depends on what is unknown.
std::optional<bool> equal(const Value& a, const Value& b);

}  // namespace slipway::expression
