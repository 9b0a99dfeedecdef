// The types of module inputs, and the conversion of values to them.
#pragma once

#include <string>
#include <vector>

#include "launcher/expression/parser.h"
#include "launcher/expression/value.h"

namespace slipway::expression {

// A type in Terraform's notation: string, list(string), object({a = optional(number, 1)}), any.
struct Type {
  enum class Kind { any, boolean, number, string, list, set, map, tuple, object };
  struct Attribute;

  Kind kind = Kind::any;
  std::vector<Type> elements;         // one for a list, set or map; any number for a tuple
  std::vector<Attribute> attributes;  // of an object
};

struct Type::Attribute {
  std::string name;
  Type type;
  bool optional = false;
  Value default_value;
};

// Throws ExpressionError at the part that is not a type.
Type parse_type(const Located& text);
Type parse_type(std::string_view text);

// "list(string)"; objects as "object({…})".
std::string to_text(const Type& type);

// A part of a value that does not have the expected type.
struct Mismatch {
  std::string path;  // ".runners[1].type", empty at the top
  std::string message;
  std::string help = {};  // how to write a value of that type; may be empty
};

// Converts a value to a type by Terraform's rules: "5" becomes 5 and 5 becomes "5"; an object loses
// attributes that the type does not have and gains the optional ones. Null and unknown values fit
// every type. Parts that do not fit are added to `mismatches`.
Value convert(const Value& value, const Type& type, std::vector<Mismatch>& mismatches);

// False if no value of one type can be converted to the other: a list to a string, a number to a
// map. A string can become a number, and `any` can become anything.
bool can_become(const Type& from, const Type& to);

}  // namespace slipway::expression
