// The values of expressions, as far as they are known before deployment.
//
// A value can be partly known: eight networks whose links the cloud has yet to assign are a list of
// eight objects with known names and unknown links.
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

// A value that is known only after deployment.
struct Unknown {
  ExpressionPtr expression;  // computes it from the unknown outputs
  std::string module;        // id of the module if the value is one of its outputs; otherwise empty
};

struct Value {
  using Null = std::monostate;
  using Number = long double;  // holds every 64-bit integer exactly
  using List = std::vector<Value>;
  using Object = std::map<std::string, Value, std::less<>>;
  using Data = std::variant<Null, bool, Number, std::string, List, Object, Unknown>;

  // Terraform distinguishes lists and sets from tuples, and maps from objects: the members of the
  // former have one type. A set is sorted and has no duplicates, as far as its members are known.
  enum class Collection : uint8_t { none, list, set, map };

  Value() = default;
  // Not inline, since they are large and used everywhere.
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
  bool is_sensitive() const;  // it or a part of it is marked
  bool is_set() const { return collection == Collection::set; }

  Data data;
  Collection collection = Collection::none;  // of a List or an Object
  bool sensitive = false;                    // marked by sensitive()
};

// A List or an Object as a collection.
Value as_collection(Value value, Value::Collection collection);

// An unknown value equals no value. Ignores the kind of collection and sensitivity.
bool operator==(const Value& a, const Value& b);

// "a string", "a list", "null": for messages.
std::string_view describe(const Value& value);

// The shortest decimal text that reads back as the same number, without an exponent: "4", "0.1".
std::string number_text(Value::Number number);

// For messages: with an exponent where there would be many zeros, "1e+30".
std::string short_number_text(Value::Number number);

// Parses a decimal number as Terraform does: "5", "-2.5", "1e3".
std::optional<Value::Number> parse_number(const std::string& text);

// The value as a number or boolean, converted from a string if necessary.
std::optional<Value::Number> number_of(const Value& value);
std::optional<bool> bool_of(const Value& value);

}  // namespace slipway::expression
