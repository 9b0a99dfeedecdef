// The values of expressions, as far as they are known before deployment.
//
// A value can be partly known: eight networks whose links the cloud has yet to assign are a list of
// eight objects with known names and unknown links.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
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

// What holds for a list or an object with all of its parts.
struct Extent {
  size_t units = 0;  // one for each value, and one for `text_unit` bytes of text
  int depth = 0;     // of the deepest part
  bool known = true, sensitive = false;
};
constexpr size_t text_unit = 8;  // bytes

// The parts of a list or an object. Copies share them until one of the copies is changed.
template <class Parts>
class Shared {
 public:
  Shared() : Shared(Parts()) {}
  explicit Shared(Parts parts) : kept_(std::make_shared<Kept>(std::move(parts))) {}

  const Parts* get() const { return kept_ == nullptr ? nullptr : &kept_->parts; }

  // For changes. What it returns is invalid after the next copy.
  Parts& edit() {
    if (kept_.use_count() == 1) {
      kept_->extent = 0;
    } else {
      kept_ = std::make_shared<Kept>(kept_->parts);
    }
    return kept_->parts;
  }

  // Found once for all copies.
  Extent extent() const;

 private:
  struct Kept {
    explicit Kept(Parts all) : parts(std::move(all)) {}
    Parts parts;
    mutable std::atomic<uint64_t> extent = 0;  // packed; 0: not asked for yet
  };
  std::shared_ptr<Kept> kept_;
};

struct Value {
  using Null = std::monostate;
  using Number = long double;  // holds every 64-bit integer exactly
  using List = std::vector<Value>;
  using Object = std::map<std::string, Value, std::less<>>;
  using Data =
      std::variant<Null, bool, Number, std::string, Shared<List>, Shared<Object>, Unknown>;

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
  Value(List list) : data(Shared<List>(std::move(list))) {}
  Value(Object object) : data(Shared<Object>(std::move(object))) {}
  Value(Unknown unknown) : data(std::move(unknown)) {}

  template <class T>
  const T* as() const {
    if constexpr (std::is_same_v<T, List> || std::is_same_v<T, Object>) {
      const auto* shared = std::get_if<Shared<T>>(&data);
      return shared == nullptr ? nullptr : shared->get();
    } else {
      return std::get_if<T>(&data);
    }
  }
  // The parts of a List or an Object, for changes; see Shared.
  template <class T>
  T* edit() {
    auto* shared = std::get_if<Shared<T>>(&data);
    return shared == nullptr ? nullptr : &shared->edit();
  }
  bool is_null() const { return data.index() == 0; }
  bool is_unknown() const { return as<Unknown>() != nullptr; }
  bool is_known() const;      // nothing in it is unknown
  bool is_sensitive() const;  // it or a part of it is marked
  Extent extent() const;
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
