// Values: what expressions mean, as far as it is known before anything is deployed.
//
// A value may be partly known: a list of eight networks whose links the cloud has yet to assign is
// a list of eight objects with known names and unknown links.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
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

  // Terraform tells lists and sets from tuples and maps from objects: members of the former are of
  // one type. A set is sorted and has each member once, as far as they are known.
  enum class Collection : uint8_t { none, list, set, map };

  Value() = default;
  // Not inline: they are large and used everywhere.
  Value(const Value& other);
  Value(Value&& other) noexcept;
  Value& operator=(const Value& other);
  Value& operator=(Value&& other) noexcept;
  ~Value();
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
  bool is_known() const;      // nothing in it is unknown
  bool is_sensitive() const;  // it, or a part of it
  bool is_set() const { return collection == Collection::set; }

  Data data;
  Collection collection = Collection::none;  // of a List or an Object
  bool sensitive = false;                    // marked by sensitive()
};

// A List or an Object as a collection.
Value as_collection(Value value, Value::Collection collection);

// Equal values; unknown ones are equal to nothing. The kind of collection and marks do not count.
bool operator==(const Value& a, const Value& b);

// "a string", "a list", "nothing": for messages.
std::string_view describe(const Value& value);

// The shortest decimal text that reads back as the same number, without an exponent: "4", "0.1".
std::string number_text(Value::Number number);

// For messages: with an exponent where there would be many zeros, "1e+30".
std::string short_number_text(Value::Number number);

// A decimal number, as Terraform reads it from a string: "5", "-2.5", "1e3".
std::optional<Value::Number> parse_number(const std::string& text);

// The number or boolean that a value is or that its text means.
std::optional<Value::Number> number_of(const Value& value);
std::optional<bool> bool_of(const Value& value);

}  // namespace slipway::expression
