// Evaluation: function calls.
#include <fmt/core.h>

#include <algorithm>

#include "launcher/expression/arguments.h"
#include "launcher/expression/budget.h"
#include "launcher/expression/evaluator.h"
#include "launcher/source/diagnostics.h"

namespace slipway::expression {
namespace {

using source::Code;

// The variables that templatestring() passes to its template.
class TemplateScope : public Scope {
 public:
  explicit TemplateScope(const Object& variables) : variables_(variables) {}

  Found find(const Traversal& traversal, Span span) const override {
    const auto variable = variables_.find(traversal.root);
    if (variable != variables_.end()) return {variable->second, 0};
    throw ExpressionError(Code::cannot_evaluate, span,
                          fmt::format("there is no `{}` among the variables", traversal.root));
  }

 private:
  const Object& variables_;
};

void check_count(const Call& call, const Function& function, size_t count, bool more_may_come) {
  const Arity wanted = arity(function);
  if (count <= wanted.most && (count >= wanted.least || more_may_come)) return;
  const bool too_many = count > wanted.most && wanted.most < call.arguments.size();
  throw ExpressionError(
      Code::cannot_evaluate, too_many ? call.arguments[wanted.most]->span : call.name_span,
      fmt::format("{}() takes {}, not {}", call.function, to_text(wanted), count));
}

}  // namespace

void check_call(const Call& call) {
  if (is_provider_function(call.function)) return;
  const Function* function = find_function(call.function);
  if (function == nullptr) {
    throw ExpressionError(Code::unknown_function, call.name_span,
                          fmt::format("there is no function `{}`", call.function),
                          source::did_you_mean(call.function, function_names()));
  }
  check_count(call, *function, call.arguments.size() - (call.spread ? 1 : 0), call.spread);
}

void check_calls(const Expression& expression) {
  if (expression.calls_are_right) return;
  // A pointer without ownership, since the expression outlives this call.
  for_each_call(ExpressionPtr(ExpressionPtr(), &expression), check_call);
  expression.calls_are_right = true;
}

Value Evaluator::value_of(const Call& node) {
  const Function* function = find_function(node.function);
  if (function != nullptr && function->takes == Takes::expressions && !node.spread) {
    if (function->name == "can") return can(node);
    if (function->name == "try") return try_each(node);
    if (function->name == "module_file") return module_file(node);
    return template_string(node);
  }
  List arguments;
  for (const ExpressionPtr& argument : node.arguments) arguments.push_back(evaluate(*argument));
  if (node.spread) {
    if (arguments.back().is_unknown()) return unknown_call(node, arguments, true);
    const Value last = std::move(arguments.back());
    arguments.pop_back();
    const auto* list = last.as<List>();
    if (list == nullptr) {
      fail(node.arguments.back()->span, fmt::format("`...` needs a list, not {}", describe(last)));
    }
    if (has_unknown_size(last)) {
      arguments.push_back(last);
      return unknown_call(node, arguments, true);
    }
    for (const Value& item : *list) arguments.push_back(marked(item, last.sensitive));
  }
  if (function == nullptr) return unknown_call(node, arguments);
  check_count(node, *function, arguments.size(), false);
  if (function->apply == nullptr) return unknown_call(node, arguments);
  return applied(node, *function, arguments);
}

Value Evaluator::applied(const Call& node, const Function& function, const List& arguments) {
  const auto known = [](const Value& value) { return value.is_known(); };
  const auto is_marked = [&](const Value& value) {
    return function.takes == Takes::values ? value.is_sensitive() : value.sensitive;
  };
  try {
    for (const Value& argument : arguments) spend_value(argument);
    const List converted = converted_arguments(function, arguments);
    if (function.takes == Takes::values &&
        !std::all_of(converted.begin(), converted.end(), known)) {
      return unknown_call(node, arguments);
    }
    std::optional<Value> value = function.apply(converted);
    if (!value) return unknown_call(node, arguments);
    spend_value(*value);
    const bool sensitive = function.takes != Takes::marks &&
                           std::any_of(arguments.begin(), arguments.end(), is_marked);
    return marked(*std::move(value), sensitive);
  } catch (const ArgumentError& error) {
    const size_t index = std::min(error.index, node.arguments.size() - 1);
    const Span span = node.arguments.empty() ? span_ : node.arguments[index]->span;
    fail(span, fmt::format("{}(): {}", node.function, error.what()));
  } catch (const std::exception& error) {
    fail(span_, fmt::format("{}(): {}", node.function, error.what()));
  }
}

Value Evaluator::can(const Call& node) {
  try {
    const Value value = evaluate(*node.arguments[0]);
    return value.is_known() ? Value(true) : unknown_call(node, {value});
  } catch (const ExpressionError& error) {
    if (error.code != Code::cannot_evaluate) throw;
    return false;
  }
}

// try(a, b, …): the first argument that can be evaluated.
Value Evaluator::try_each(const Call& node) {
  std::string first_error;
  for (size_t i = 0; i < node.arguments.size(); ++i) {
    try {
      const Value value = evaluate(*node.arguments[i]);
      if (value.is_known()) return value;
      // Whether this argument fails is known only at deployment.
      Call left{node.function, node.name_span, {to_expression(value)}, false};
      for (size_t k = i + 1; k < node.arguments.size(); ++k) {
        left.arguments.push_back(partly(node.arguments[k]));
      }
      return unknown(std::move(left));
    } catch (const ExpressionError& error) {
      if (error.code != Code::cannot_evaluate) throw;
      if (first_error.empty()) first_error = error.what();
    }
  }
  fail(span_, fmt::format("try(): every argument fails; the first one: {}", first_error));
}

// templatestring(template, variables): as in Terraform, the template must be a reference; a literal
// string is already a template.
Value Evaluator::template_string(const Call& node) {
  const Expression& written = *node.arguments[0];
  if (written.as<Literal>() != nullptr || written.as<Template>() != nullptr) {
    fail(written.span, "templatestring(): argument 1 must be a reference, not a literal string",
         "a literal string does not need templatestring()");
  }
  const List arguments{evaluate(written), evaluate(*node.arguments[1])};
  if (arguments[0].is_unknown() || arguments[1].is_unknown()) return unknown_call(node, arguments);
  const auto* text = arguments[0].as<std::string>();
  const auto* variables = arguments[1].as<Object>();
  if (text == nullptr || variables == nullptr) {
    const size_t i = text == nullptr ? 0 : 1;
    fail(node.arguments[i]->span,
         fmt::format("templatestring(): argument {} is {}, not {}", i + 1, describe(arguments[i]),
                     i == 0 ? "a string" : "an object"));
  }
  try {
    spend(text->size() / 4);
    const ExpressionPtr tree = parse_template({*text, {}});
    check_calls(*tree);
    return marked(Evaluator(TemplateScope(*variables)).evaluate(*tree),
                  arguments[0].is_sensitive() || arguments[1].sensitive);
  } catch (const ExpressionError& error) {
    fail(written.span, fmt::format("templatestring(): in the template: {}", error.what()));
  }
}

// module_file(path): the scope reads the file.
Value Evaluator::module_file(const Call& node) {
  const Value path = evaluate(*node.arguments[0]);
  const auto* text = path.as<std::string>();
  if (text == nullptr) {
    fail(node.arguments[0]->span, fmt::format("module_file(): the path is {}{}", describe(path),
                                              path.is_unknown() ? "" : ", not a string"));
  }
  Value content = scope_.file_text(*text, node.arguments[0]->span);
  spend_value(content);
  return content;
}

Value Evaluator::unknown_call(const Call& node, const List& arguments, bool spread) const {
  Call left{node.function, node.name_span, {}, spread};
  for (const Value& value : arguments) left.arguments.push_back(to_expression(value));
  return unknown(std::move(left));
}

}  // namespace slipway::expression
