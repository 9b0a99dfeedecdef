// Substitutes each.key and each.value.
#include "launcher/blueprint/each.h"

#include <optional>

#include "launcher/expression/evaluate.h"

namespace slipway::blueprint {
namespace {

using expression::ExpressionError;
using expression::ExpressionPtr;
using expression::Literal;
using expression::ObjectExpression;
using expression::Step;
using expression::Traversal;
using expression::Tuple;
using expression::Value;
using source::Code;
using source::Span;

// The number of steps before `key` or `value`: in $(…), each.key looks like an output of a module
// called `each`.
size_t steps_to_each(const Traversal& traversal) {
  if (traversal.root == "each") return 0;
  const bool in_blueprint = traversal.root == "module" && !traversal.steps.empty() &&
                            traversal.steps[0].kind == Step::Kind::attribute &&
                            traversal.steps[0].name == "each";
  return in_blueprint ? 1 : std::string::npos;
}

bool mentions_each(const ExpressionPtr& expression) {
  bool found = false;
  expression::for_each_reference(expression, [&](const Traversal& traversal, Span) {
    found = found || steps_to_each(traversal) != std::string::npos;
  });
  return found;
}

// Joins the literal parts of a template; numbers become text.
ExpressionPtr joined(const expression::Template& parts, Span span) {
  expression::Template out;
  for (const ExpressionPtr& part : parts.parts) {
    const auto* literal = part->as<Literal>();
    const auto text = literal == nullptr ? std::nullopt : expression::text_of(literal->value);
    const auto* before = out.parts.empty() ? nullptr : out.parts.back()->as<Literal>();
    if (!text) {
      out.parts.push_back(part);
    } else if (before != nullptr) {
      out.parts.back() =
          expression::make(span, Literal{Value(*before->value.as<std::string>() + *text)});
    } else {
      out.parts.push_back(expression::make(span, Literal{Value(*text)}));
    }
  }
  const bool whole = out.parts.size() == 1 && out.parts[0]->as<Literal>() != nullptr;
  return whole ? out.parts[0] : expression::make(span, std::move(out));
}

}  // namespace

ExpressionPtr substitute(const ExpressionPtr& expression, const Each& each) {
  if (!expression || !mentions_each(expression)) return expression;
  if (const auto* tuple = expression->as<Tuple>();
      tuple != nullptr && tuple->form == expression::Form::yaml) {
    Tuple out = *tuple;
    for (ExpressionPtr& item : out.items) item = substitute(item, each);
    return expression::make(expression->span, std::move(out));
  }
  if (const auto* object = expression->as<ObjectExpression>();
      object != nullptr && object->form == expression::Form::yaml) {
    ObjectExpression out = *object;
    for (expression::ObjectItem& item : out.items) item.value = substitute(item.value, each);
    return expression::make(expression->span, std::move(out));
  }
  ExpressionPtr result =
      expression::rewrite(expression, [&](const Traversal& traversal, Span span) -> ExpressionPtr {
        const size_t first = steps_to_each(traversal);
        if (first == std::string::npos) return nullptr;
        const std::string name =
            traversal.steps.size() > first ? traversal.steps[first].name : std::string();
        if (name != "key" && name != "value") {
          throw ExpressionError(Code::bad_reference, span,
                                "`each` has only `each.key` and `each.value`", "");
        }
        ExpressionPtr value = to_expression(name == "key" ? Value(each.key) : each.value, span);
        if (traversal.steps.size() == first + 1) return value;
        Traversal rest{"", std::move(value), {}};
        rest.steps.assign(traversal.steps.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                          traversal.steps.end());
        return to_expression(expression::evaluate(*expression::make(span, std::move(rest)),
                                                  expression::EmptyScope()),
                             span);
      });
  if (const auto* parts = result->as<expression::Template>()) {
    return joined(*parts, result->span);
  }
  bool open = false;
  expression::for_each_reference(result, [&](const Traversal&, Span) { open = true; });
  if (open) return result;
  const Value value = expression::evaluate(*result, expression::EmptyScope());
  return value.is_known() ? to_expression(value, result->span, expression::Form::yaml) : result;
}

}  // namespace slipway::blueprint
