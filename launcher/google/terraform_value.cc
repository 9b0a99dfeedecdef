// Writes values in Terraform's JSON syntax.
#include "launcher/google/terraform_value.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "launcher/expression/evaluate.h"

namespace slipway::google {
namespace {

using expression::Expression;
using expression::Value;

// A string escaped for a template.
std::string literal(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool mark =
        (text[i] == '$' || text[i] == '%') && i + 1 < text.size() && text[i + 1] == '{';
    if (mark) out += text[i];
    out += text[i];
  }
  return out;
}

// A template as a JSON string, in which only `${` and `%{` are escaped. Nothing if a `$` right
// before
// `${` would escape it, or if the template has directives.
std::optional<std::string> bare(const expression::Template& parts) {
  std::string out;
  for (const auto& part : parts.parts) {
    const auto* known = part->as<expression::Literal>();
    const auto text = known == nullptr ? std::nullopt : expression::text_of(known->value);
    const bool directive = part->as<expression::TemplateIf>() != nullptr ||
                           part->as<expression::TemplateFor>() != nullptr;
    const bool clash = !out.empty() && (out.back() == '$' || out.back() == '%');
    if (directive || clash) return std::nullopt;
    out += text ? literal(*text) : "${" + to_hcl(*part) + "}";
  }
  return out;
}

Json number(Value::Number number) {
  if (std::nearbyint(number) != number || std::fabs(number) >= 9e18L) {
    return static_cast<double>(number);
  }
  return static_cast<int64_t>(number);
}

// `sensitive` is the mark of the enclosing value. Marks are put on the leaves, since a block cannot
// have one.
Json tree(const Value& value, Nulls nulls, bool sensitive) {
  sensitive = sensitive || value.sensitive;
  if (const auto* list = value.as<Value::List>()) {
    Json out = Json::array();
    for (const Value& item : *list) out.push_back(tree(item, nulls, sensitive));
    return out;
  }
  if (const auto* object = value.as<Value::Object>()) {
    Json out = Json::object();
    for (const auto& [name, member] : *object) {
      if (member.is_null() && nulls == Nulls::left_out) continue;
      out[literal(name)] = tree(member, nulls, sensitive);
    }
    return out;
  }
  if (value.is_null()) return nullptr;
  Value plain = value;
  plain.sensitive = sensitive;
  if (sensitive || value.is_unknown()) return to_terraform(*to_expression(plain));
  if (const auto* boolean = value.as<bool>()) return *boolean;
  if (const auto* n = value.as<Value::Number>()) return number(*n);
  return literal(*value.as<std::string>());
}

}  // namespace

Json to_terraform(const Value& value, Nulls nulls) {
  return tree(value, nulls, false);
}

std::string to_terraform(const Expression& expression) {
  if (const auto* parts = expression.as<expression::Template>(); parts != nullptr) {
    if (const auto text = bare(*parts)) return *text;
  }
  return "${" + to_hcl(expression) + "}";
}

std::string to_text(const Json& file) {
  return file.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace slipway::google
