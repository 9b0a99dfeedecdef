// Helpers with which functions read their arguments, which are already converted to the types of
// their parameters.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "common/error.h"
#include "launcher/expression/functions.h"

namespace slipway::expression {

using List = Value::List;
using Object = Value::Object;
using Number = Value::Number;
using Result = std::optional<Value>;
using Takes = Function::Takes;

// An error about one argument.
class ArgumentError : public Error {
 public:
  ArgumentError(size_t index, const std::string& message);  // "argument 2 " + message
  size_t index;
};

const std::string& text_at(const List& arguments, size_t i);
Number number_at(const List& arguments, size_t i);
// A whole number from `least` to `most`, at most 2^62.
int64_t integer_at(const List& arguments, size_t i, int64_t least = -(int64_t{1} << 62),
                   int64_t most = int64_t{1} << 62);
const List& list_at(const List& arguments, size_t i);
const Object& object_at(const List& arguments, size_t i);

// The members converted to one type, as in Terraform's list(T). Throws ArgumentError.
Value as_list(List members);

Value list_value(List members);  // a list whose members are already of one type

}  // namespace slipway::expression
