// Prints an expression's tree as text.
#include "tests/fuzz/tree_text.h"

#include <fmt/core.h>

namespace slipway::fuzz {
namespace {

using namespace slipway::expression;

std::string text(const ExpressionPtr& expression) {
  return expression ? tree_text(*expression) : "-";
}

std::string list(const std::vector<ExpressionPtr>& expressions) {
  std::string out;
  for (const ExpressionPtr& expression : expressions) out += text(expression) + " ";
  return out;
}

struct Show {
  std::string operator()(const Literal& node) const {
    if (const auto* string = node.value.as<std::string>()) return fmt::format("\"{}\"", *string);
    if (const auto* number = node.value.as<Value::Number>()) {
      return *number < 0 ? fmt::format("(- {})", -*number) : fmt::format("{}", *number);
    }
    if (const auto* boolean = node.value.as<bool>()) return *boolean ? "true" : "false";
    return std::string(describe(node.value));
  }
  // Adjacent literals are one text.
  std::string operator()(const Template& node) const {
    std::string out, literals;
    for (const ExpressionPtr& part : node.parts) {
      const auto* literal = part->as<Literal>();
      if (const auto* string = literal == nullptr ? nullptr : literal->value.as<std::string>()) {
        literals += *string;
        continue;
      }
      out += fmt::format("\"{}\" {} ", literals, text(part));
      literals.clear();
    }
    return out.empty() ? fmt::format("\"{}\"", literals)
                       : fmt::format("(template {}\"{}\")", out, literals);
  }
  std::string operator()(const TemplateIf& node) const {
    return fmt::format("(%if {} {} {})", text(node.condition), text(node.yes), text(node.no));
  }
  std::string operator()(const TemplateFor& node) const {
    return fmt::format("(%for '{}' '{}' {} {})", node.key_name, node.value_name,
                       text(node.collection), text(node.body));
  }
  std::string operator()(const Traversal& node) const {
    std::string out = "(" + (node.base ? text(node.base) : node.root);
    for (const Step& step : node.steps) {
      switch (step.kind) {
        case Step::Kind::attribute:
          out += " ." + step.name;
          break;
        case Step::Kind::index:
          out += " [" + text(step.key) + "]";
          break;
        case Step::Kind::splat:
          out += " [*]";
          break;
        case Step::Kind::attribute_splat:
          out += " .*";
          break;
      }
    }
    return out + ")";
  }
  std::string operator()(const Call& node) const {
    return fmt::format("({}! {}{})", node.function, list(node.arguments), node.spread ? "..." : "");
  }
  std::string operator()(const Unary& node) const {
    return fmt::format("({} {})", node.sign, text(node.operand));
  }
  std::string operator()(const Binary& node) const {
    return fmt::format("(op{} {} {})", static_cast<int>(node.op), text(node.left),
                       text(node.right));
  }
  std::string operator()(const Conditional& node) const {
    return fmt::format("(if {} {} {})", text(node.condition), text(node.yes), text(node.no));
  }
  std::string operator()(const Parenthesis& node) const { return text(node.inner); }
  std::string operator()(const Tuple& node) const { return "[" + list(node.items) + "]"; }
  std::string operator()(const ObjectExpression& node) const {
    std::string out = "{";
    for (const ObjectItem& item : node.items) out += text(item.key) + "=" + text(item.value) + " ";
    return out + "}";
  }
  std::string operator()(const For& node) const {
    return fmt::format("(for{} '{}' '{}' {} {} {} {})", node.grouped ? "..." : "", node.key_name,
                       node.value_name, text(node.collection), text(node.result_key),
                       text(node.result), text(node.condition));
  }
};

}  // namespace

std::string tree_text(const Expression& expression) {
  return std::visit(Show(), expression.node);
}

}  // namespace slipway::fuzz
