// Prints values and types of the blueprint language.
#include "launcher/commands/values.h"

#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "launcher/expression/expression.h"

namespace slipway::commands {

using expression::Type;
using expression::Value;
using Json = nlohmann::ordered_json;

namespace {

Json number(Value::Number number) {
  if (std::nearbyint(number) != number || std::fabs(number) >= 9e18L) {
    return static_cast<double>(number);
  }
  return static_cast<int64_t>(number);
}

std::string hcl(const Value& value) {
  return expression::to_hcl(*expression::to_expression(value));
}

// Breaks what does not fit into a line for each member, as deep as needed; `begin` columns of the
// first line are taken.
std::string fitted(const Value& value, size_t columns, size_t depth, size_t begin = 0) {
  std::string line = hcl(value);
  const auto* list = value.as<Value::List>();
  const auto* object = value.as<Value::Object>();
  const bool whole = list == nullptr && object == nullptr;
  if (whole || source::display_width(line) + 2 * depth + begin <= columns) return line;
  const std::string feed = "\n" + std::string(2 * depth, ' ');
  std::string out = list != nullptr ? "[" : "{";
  if (list != nullptr) {
    for (const Value& item : *list) out += feed + "  " + fitted(item, columns, depth + 1) + ",";
  } else {
    for (const auto& [name, member] : *object) {
      const std::string key = hcl(Value(Value::Object{{name, Value(true)}}));
      const std::string before = key.substr(2, key.size() - std::string_view("{ true }").size());
      out += feed + "  " + before + fitted(member, columns, depth + 1, before.size());
    }
  }
  return out + feed + (list != nullptr ? "]" : "}");
}

class TypeText {
 public:
  // `columns` 0: all in one line.
  explicit TypeText(size_t columns) : lines_(columns > 0), columns_(columns) {}

  std::string print(const Type& type) {
    if (type.kind == Type::Kind::object) return object(type);
    if (type.kind == Type::Kind::tuple) {
      std::string items;
      for (const Type& element : type.elements) {
        items += (items.empty() ? "" : ", ") + print(element);
      }
      return "tuple([" + items + "])";
    }
    if (type.elements.empty()) return expression::to_text(type);
    const std::string short_text = expression::to_text(type);  // "list(…": take the word
    return fmt::format("{}({})", short_text.substr(0, short_text.find('(')),
                       print(type.elements[0]));
  }

 private:
  std::string object(const Type& type) {
    if (type.attributes.empty()) return "object({})";
    ++depth_;
    std::string out = "object({";
    for (const Type::Attribute& attribute : type.attributes) {
      const bool first = &attribute == type.attributes.data();
      out += lines_ ? feed() : first ? "" : ", ";
      out += attribute.name + " = " + member(attribute);
    }
    --depth_;
    return out + (lines_ ? feed() : "") + "})";
  }

  std::string member(const Type::Attribute& attribute) {
    const std::string inner = print(attribute.type);
    if (!attribute.optional) return inner;
    if (attribute.default_value.is_null()) return fmt::format("optional({})", inner);
    std::string value = hcl(attribute.default_value);
    const size_t used = 2 * depth_ + attribute.name.size() + inner.size() + 16;
    if (lines_ && used + value.size() > columns_) {
      value = fitted(attribute.default_value, columns_, depth_);
    }
    return fmt::format("optional({}, {})", inner, value);
  }

  std::string feed() const { return "\n" + std::string(2 * depth_, ' '); }

  bool lines_;
  size_t columns_;
  size_t depth_ = 0;
};

}  // namespace

Json to_json(const Value& value) {
  if (const auto* boolean = value.as<bool>()) return *boolean;
  if (const auto* n = value.as<Value::Number>()) return number(*n);
  if (const auto* text = value.as<std::string>()) return *text;
  if (const auto* list = value.as<Value::List>()) {
    Json out = Json::array();
    for (const Value& item : *list) out.push_back(to_json(item));
    return out;
  }
  if (const auto* object = value.as<Value::Object>()) {
    Json out = Json::object();
    for (const auto& [name, member] : *object) out[name] = to_json(member);
    return out;
  }
  if (const auto* unknown = value.as<expression::Unknown>()) {
    return "((" + expression::to_hcl(*unknown->expression) + "))";
  }
  return nullptr;
}

std::string one_line(const Value& value) {
  return hcl(value);
}

std::string to_text(const Value& value, size_t columns) {
  return fitted(value, columns, 0);
}

std::string full_type(const Type& type, size_t columns) {
  std::string line = TypeText(0).print(type);
  return columns == 0 || line.size() <= columns ? line : TypeText(columns).print(type);
}

}  // namespace slipway::commands
