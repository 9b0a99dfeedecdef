// Values: what expressions mean, as far as it is known before anything is deployed.
//
// A value may be partly known: a list of eight networks whose links the cloud has yet to assign is
// a list of eight objects with known names and unknown links.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace slipway::expression {

struct Expression;
using ExpressionPtr = std::shared_ptr<const Expression>;

// A value that only the deployment will tell.
struct Unknown {
  ExpressionPtr expression;  // what it will be, in terms of what is unknown
  std::string module;        // id of the module whose output it is, unchanged; else empty
};

struct Value {
  using Null = std::monostate;
  using Number = long double;  // holds every 64-bit integer exactly
  using List = std::vector<Value>;
  using Object = std::map<std::string, Value, std::less<>>;
  using Data = std::variant<Null, bool, Number, std::string, List, Object, Unknown>;

  Value() = default;
  Value(Null) {}
  Value(bool boolean) : data(boolean) {}
  Value(Number number) : data(number) {}
  Value(int number) : data(static_cast<Number>(number)) {}
  Value(const char* text) : data(std::string(text)) {}
  Value(std::string text) : data(std::move(text)) {}
  Value(List list) : data(std::move(list)) {}
  Value(Object object) : data(std::move(object)) {}
  Value(Unknown unknown) : data(std::move(unknown)) {}

  template <class T>
  const T* as() const {
    return std::get_if<T>(&data);
  }
  bool is_null() const { return data.index() == 0; }
  bool is_unknown() const { return as<Unknown>() != nullptr; }
  bool is_known() const;  // nothing in it is unknown

  Data data;
};

// Equal values; unknown ones are equal to nothing.
bool operator==(const Value& a, const Value& b);

// "a string", "a list", "nothing": for messages.
std::string_view describe(const Value& value);

// The shortest decimal text that reads back as the same number: "4", "0.1", "1e+30".
std::string number_text(Value::Number number);

}  // namespace slipway::expression
