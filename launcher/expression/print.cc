// Prints expressions as HCL.
#include <fmt/core.h>

#include <array>

#include "launcher/expression/expression.h"
#include "launcher/expression/tokens.h"

namespace slipway::expression {
namespace {

// A string with the escapes that it needs in quotes.
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

// In the order of the enumeration Operator: the operators, and their precedence.
constexpr std::array<std::string_view, 13> operators{"||", "&&", "==", "!=", "<", "<=", ">",
                                                     ">=", "+",  "-",  "*",  "/", "%"};
constexpr std::array<int, 13> precedences{1, 2, 3, 3, 4, 4, 4, 4, 5, 5, 6, 6, 6};
constexpr int prefixed = 7;
constexpr int bare_number = 8;  // which cannot be followed by `.name`
constexpr int primary = 9;

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

  std::string text(const Template& node) { return '"' + inside(node) + '"'; }
  // A directive on its own is a template of one part.
  std::string text(const TemplateIf& node) { return '"' + inside(node) + '"'; }
  std::string text(const TemplateFor& node) { return '"' + inside(node) + '"'; }

  std::string inside(const Template& node) {
    std::string out;
    for (const ExpressionPtr& part : node.parts) append(out, inside(*part));
    return out;
  }

  std::string inside(const TemplateIf& node) {
    std::string out = "%{ if " + print(*node.condition) + " }";
    append(out, branch(*node.yes));
    if (node.no) {
      append(out, "%{ else }");
      append(out, branch(*node.no));
    }
    append(out, "%{ endif }");
    return out;
  }

  std::string inside(const TemplateFor& node) {
    std::string out = fmt::format("%{{ for {} in {} }}", names(node), print(*node.collection)) +
                      branch(*node.body);
    append(out, "%{ endfor }");
    return out;
  }

  // A part of a template.
  std::string inside(const Expression& part) {
    if (const std::string* string = string_of(part)) return escaped(*string);
    if (const auto* node = part.as<TemplateIf>()) return inside(*node);
    if (const auto* node = part.as<TemplateFor>()) return inside(*node);
    return "${" + print(part) + "}";
  }

  std::string branch(const Expression& expression) {
    const auto* node = expression.as<Template>();
    return node != nullptr ? inside(*node) : inside(expression);
  }

  // A `$` right before `${` would escape it.
  static void append(std::string& out, const std::string& piece) {
    const bool clash = !out.empty() && (out.back() == '$' || out.back() == '%') &&
                       piece.starts_with(std::string{out.back(), '{'});
    if (clash) {
      const auto mark = static_cast<unsigned>(out.back());
      out.pop_back();
      out += fmt::format("\\u{:04x}", mark);
    }
    out += piece;
  }

  static const std::string* string_of(const Expression& part) {
    const auto* literal = part.as<Literal>();
    return literal == nullptr ? nullptr : literal->value.as<std::string>();
  }

  template <class Loop>
  static std::string names(const Loop& node) {
    return node.key_name.empty() ? node.value_name : node.key_name + ", " + node.value_name;
  }

  std::string text(const Traversal& node) {
    std::string out = node.root;
    if (node.base) {
      const auto* inner = node.base->as<Traversal>();
      const bool whole = inner != nullptr && inner->has_splat();
      out = whole ? "(" + print(*node.base) + ")" : operand(*node.base, primary);
    }
    bool after_old_index = false;
    for (const Step& step : node.steps) {
      switch (step.kind) {
        case Step::Kind::attribute:
          out += "." + step.name;
          break;
        case Step::Kind::index:
          // Two indexes in the old notation, .1.2, would be read as one number.
          out += step.name != "."  ? "[" + print(*step.key) + "]"
                 : after_old_index ? " ." + print(*step.key)
                                   : "." + print(*step.key);
          break;
        case Step::Kind::splat:
          out += "[*]";
          break;
        case Step::Kind::attribute_splat:
          out += ".*";
          break;
      }
      after_old_index = step.kind == Step::Kind::index && step.name == ".";
    }
    return out;
  }

  std::string text(const Call& node) {
    return fmt::format("{}({}{})", node.function, list(node.arguments), node.spread ? "..." : "");
  }

  std::string text(const Unary& node) { return node.sign + operand(*node.operand, prefixed); }

  std::string text(const Binary& node) {
    const int level = precedences[static_cast<size_t>(node.op)];
    return fmt::format("{} {} {}", operand(*node.left, level),
                       operators[static_cast<size_t>(node.op)], operand(*node.right, level + 1));
  }

  std::string text(const Conditional& node) {
    return fmt::format("{} ? {} : {}", operand(*node.condition, 1), print(*node.yes),
                       print(*node.no));
  }

  // In parentheses if precedence requires them: a tree that was built from others may lack them.
  std::string operand(const Expression& expression, int least) {
    return binding(expression) < least ? "(" + print(expression) + ")" : print(expression);
  }

  // The precedence of an expression.
  static int binding(const Expression& expression) {
    if (const auto* node = expression.as<Binary>())
      return precedences[static_cast<size_t>(node->op)];
    if (expression.as<Conditional>() != nullptr) return 0;
    if (expression.as<Unary>() != nullptr) return prefixed;
    const auto* literal = expression.as<Literal>();
    const auto* number = literal == nullptr ? nullptr : literal->value.as<Value::Number>();
    return number == nullptr ? primary : *number < 0 ? prefixed : bare_number;
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
    if (const std::string* name = string_of(*item.key)) {
      const bool bare = !item.quoted_key && is_identifier(*name) && *name != "for";
      return bare ? *name : print(*item.key);
    }
    const bool holds = item.key->as<Template>() != nullptr ||
                       item.key->as<Parenthesis>() != nullptr || binding(*item.key) == bare_number;
    return holds ? print(*item.key) : "(" + print(*item.key) + ")";
  }

  std::string text(const For& node) {
    std::string out = fmt::format("for {} in {} : ", names(node), print(*node.collection));
    if (node.result_key) out += print(*node.result_key) + " => ";
    out += print(*node.result);
    if (node.grouped) out += "...";
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
