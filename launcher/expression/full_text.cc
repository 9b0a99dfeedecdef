// Prints values and types in full.
#include "launcher/expression/full_text.h"

#include <fmt/core.h>

#include <string_view>

#include "launcher/expression/expression.h"
#include "launcher/source/sources.h"

namespace slipway::expression {
namespace {

std::string hcl(const Value& value) {
  return to_hcl(*to_expression(value));
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
    if (type.elements.empty()) return to_text(type);
    const std::string short_text = to_text(type);  // "list(…": take the word
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

std::string full_text(const Value& value, size_t columns) {
  return columns == 0 ? hcl(value) : fitted(value, columns, 0);
}

std::string full_text(const Type& type, size_t columns) {
  std::string line = TypeText(0).print(type);
  return columns == 0 || line.size() <= columns ? line : TypeText(columns).print(type);
}

}  // namespace slipway::expression
