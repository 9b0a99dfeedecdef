// Expressions as HCL text.
#include <fmt/format.h>

#include <array>

#include "launcher/expression/expression.h"
#include "launcher/expression/tokens.h"

namespace slipway::expression {
namespace {

// The inside of a quoted string.
std::string escaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool template_mark = (c == '$' || c == '%') && i + 1 < text.size() && text[i + 1] == '{';
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else {
      if (template_mark) out += c;
      out += c;
    }
  }
  return out;
}

// The order of the enumeration Operator.
constexpr std::array<std::string_view, 13> operators{"||", "&&", "==", "!=", "<", "<=", ">",
                                                     ">=", "+",  "-",  "*",  "/", "%"};

class Printer {
 public:
  std::string print(const Expression& expression) {
    return std::visit([this](const auto& node) { return text(node); }, expression.node);
  }

 private:
  std::string text(const Literal& literal) { return value(literal.value); }

  std::string value(const Value& value) {
    if (const auto* boolean = value.as<bool>()) return *boolean ? "true" : "false";
    if (const auto* number = value.as<Value::Number>()) return number_text(*number);
    if (const auto* string = value.as<std::string>()) return '"' + escaped(*string) + '"';
    if (value.is_null()) return "null";
    return print(*to_expression(value));
  }

  std::string text(const Template& node) {
    std::string out = "\"";
    for (const ExpressionPtr& part : node.parts) {
      const auto* literal = part->as<Literal>();
      const auto* string = literal == nullptr ? nullptr : literal->value.as<std::string>();
      out += string != nullptr ? escaped(*string) : "${" + print(*part) + "}";
    }
    return out + '"';
  }

  std::string text(const Traversal& node) {
    std::string out = node.base ? print(*node.base) : node.root;
    for (const Step& step : node.steps) {
      switch (step.kind) {
        case Step::Kind::attribute:
          out += "." + step.name;
          break;
        case Step::Kind::index:
          out += "[" + print(*step.key) + "]";
          break;
        case Step::Kind::splat:
          out += "[*]";
          break;
      }
    }
    return out;
  }

  std::string text(const Call& node) {
    return fmt::format("{}({}{})", node.function, list(node.arguments), node.spread ? "..." : "");
  }

  std::string text(const Unary& node) { return node.sign + print(*node.operand); }

  std::string text(const Binary& node) {
    return fmt::format("{} {} {}", print(*node.left), operators[static_cast<size_t>(node.op)],
                       print(*node.right));
  }

  std::string text(const Conditional& node) {
    return fmt::format("{} ? {} : {}", print(*node.condition), print(*node.yes), print(*node.no));
  }

  std::string text(const Parenthesis& node) { return "(" + print(*node.inner) + ")"; }

  std::string text(const Tuple& node) { return "[" + list(node.items) + "]"; }

  std::string text(const ObjectExpression& node) {
    if (node.items.empty()) return "{}";
    const bool lines = node.form != Form::commas;
    std::string out = lines ? "{\n" : "{ ";
    depth_ += lines ? 1 : 0;
    for (const ObjectItem& item : node.items) {
      if (&item != node.items.data()) out += lines ? "\n" : ", ";
      if (lines) out += std::string(2 * depth_, ' ');
      out += key(item) + " = " + print(*item.value);
    }
    depth_ -= lines ? 1 : 0;
    return out + (lines ? "\n" + std::string(2 * depth_, ' ') + "}" : " }");
  }

  std::string key(const ObjectItem& item) {
    const auto* literal = item.key->as<Literal>();
    const auto* name = literal == nullptr ? nullptr : literal->value.as<std::string>();
    return name != nullptr && !item.quoted_key && is_identifier(*name) ? *name : print(*item.key);
  }

  std::string text(const For& node) {
    std::string out =
        node.key_name.empty() ? node.value_name : node.key_name + ", " + node.value_name;
    out = fmt::format("for {} in {} : ", out, print(*node.collection));
    if (node.result_key) out += print(*node.result_key) + " => ";
    out += print(*node.result);
    if (node.condition) out += " if " + print(*node.condition);
    return node.result_key ? "{" + out + "}" : "[" + out + "]";
  }

  std::string list(const std::vector<ExpressionPtr>& items) {
    std::string out;
    for (const ExpressionPtr& item : items) {
      if (&item != items.data()) out += ", ";
      out += print(*item);
    }
    return out;
  }

  size_t depth_ = 0;
};

}  // namespace

std::string to_hcl(const Expression& expression) {
  return Printer().print(expression);
}

}  // namespace slipway::expression
