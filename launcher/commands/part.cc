// Parts of values and of expressions.
#include "launcher/commands/part.h"

#include <fmt/core.h>

#include "common/error.h"
#include "common/text.h"
#include "launcher/expression/parser.h"

namespace slipway::commands {

using expression::ExpressionPtr;
using expression::Literal;
using expression::Traversal;
using expression::Value;

namespace {

// What a step names in an object, or the position in a list.
std::optional<std::string> name_in(const expression::Step& step) {
  if (step.kind == expression::Step::Kind::attribute) return step.name;
  const auto* literal = step.key ? step.key->as<Literal>() : nullptr;
  const auto* name = literal == nullptr ? nullptr : literal->value.as<std::string>();
  return name == nullptr ? std::nullopt : std::optional(*name);
}

std::optional<size_t> index_in(const expression::Step& step) {
  const auto* literal = step.key ? step.key->as<Literal>() : nullptr;
  const auto* number = literal == nullptr ? nullptr : literal->value.as<Value::Number>();
  if (number == nullptr || *number < 0) return std::nullopt;
  return static_cast<size_t>(*number);
}

// The member of a collection as it is written; null when it is not written there.
ExpressionPtr member(const expression::Expression& expression, const expression::Step& step) {
  if (const auto* tuple = expression.as<expression::Tuple>()) {
    const auto index = index_in(step);
    return index && *index < tuple->items.size() ? tuple->items[*index] : nullptr;
  }
  const auto* object = expression.as<expression::ObjectExpression>();
  const auto name = name_in(step);
  if (object == nullptr || !name) return nullptr;
  for (const expression::ObjectItem& item : object->items) {
    const auto* key = item.key->as<Literal>();
    if (key != nullptr && key->value == Value(*name)) return item.value;
  }
  return nullptr;
}

[[noreturn]] void no_part(const Value& value, const expression::Step& step) {
  const std::string text = path_text({step});
  if (const auto* list = value.as<Value::List>(); list != nullptr && index_in(step)) {
    throw Error(fmt::format("there is no `{}` in a list of {}", text, list->size()));
  }
  const auto* object = value.as<Value::Object>();
  if (object == nullptr) throw Error(fmt::format("there is no `{}` in {}", text, describe(value)));
  std::vector<std::string> names;
  for (const auto& [name, part] : *object) names.push_back(name);
  const std::string guess = nearest(name_in(step).value_or(""), names);
  throw Error(guess.empty()
                  ? fmt::format("there is no `{}`; there are: {}", text, slipway::join(names, ", "))
                  : fmt::format("there is no `{}`; did you mean `{}`?", text, guess));
}

}  // namespace

Path parse_path(const std::string& text) {
  try {
    const ExpressionPtr parsed = expression::parse("x" + text);
    const auto* traversal = parsed->as<Traversal>();
    if (traversal != nullptr && !traversal->base && traversal->root == "x" &&
        plain_part(traversal->steps).size() == traversal->steps.size()) {
      return traversal->steps;
    }
  } catch (const expression::ExpressionError&) {
  }
  throw UsageError(
      fmt::format("`{}` does not lead to a part: it is written as .name or [0]", text));
}

std::string path_text(const Path& path) {
  Traversal traversal{"x", nullptr, path};
  return expression::to_hcl(*expression::make({}, std::move(traversal))).substr(1);
}

const std::string* name_after(const Traversal& traversal, size_t step) {
  if (traversal.steps.size() <= step) return nullptr;
  const expression::Step& found = traversal.steps[step];
  return found.kind == expression::Step::Kind::attribute ? &found.name : nullptr;
}

Path plain_part(const Path& path) {
  Path plain;
  for (const expression::Step& step : path) {
    if (!name_in(step) && !index_in(step)) break;
    plain.push_back(step);
  }
  return plain;
}

Value part_of(const Value& value, const Path& path) {
  Value part = value;
  for (size_t i = 0; i < path.size(); ++i) {
    if (const auto* unknown = part.as<expression::Unknown>()) {
      const auto* known_path = unknown->expression->as<Traversal>();
      Traversal deeper =
          known_path != nullptr ? *known_path : Traversal{"", unknown->expression, {}};
      deeper.steps.insert(deeper.steps.end(), path.begin() + static_cast<std::ptrdiff_t>(i),
                          path.end());
      return expression::Unknown{expression::make({}, std::move(deeper)), unknown->module};
    }
    const auto* object = part.as<Value::Object>();
    const auto* list = part.as<Value::List>();
    const auto name = name_in(path[i]);
    const auto index = index_in(path[i]);
    Value next;
    if (object != nullptr && name && object->contains(*name)) {
      next = object->find(*name)->second;
    } else if (list != nullptr && index && *index < list->size()) {
      next = (*list)[*index];
    } else {
      no_part(part, path[i]);
    }
    part = std::move(next);
  }
  return part;
}

ExpressionPtr part_of(const ExpressionPtr& expression, Path& path) {
  ExpressionPtr part = expression;
  size_t taken = 0;
  while (taken < path.size()) {
    ExpressionPtr next = member(*part, path[taken]);
    if (!next) break;
    part = std::move(next);
    ++taken;
  }
  path.erase(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(taken));
  return part;
}

}  // namespace slipway::commands
