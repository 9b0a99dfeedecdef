// Fuzz target: expressions. A printed expression reads back as the same tree, a value printed as an
// expression has the same value again, and text that is escaped for YAML means itself.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "launcher/expression/evaluate.h"
#include "launcher/expression/notation.h"
#include "launcher/expression/type.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/tree_text.h"

namespace {

using namespace slipway::expression;
using slipway::fuzz::require;
using slipway::fuzz::tree_text;

ExpressionPtr read(const std::string& text) {
  try {
    return parse(text);
  } catch (const ExpressionError&) {
    return nullptr;
  }
}

void values(const std::string& text, const Expression& expression) {
  try {
    const Value value = evaluate(expression, EmptyScope());
    const std::string shown = to_hcl(*to_expression(value));
    const ExpressionPtr again = read(shown);
    require(again != nullptr, "the value of `" + text + "` can be read as `" + shown + "`");
    require(value.is_known() || tree_text(*again) == tree_text(*to_expression(value)),
            "`" + text + "` leaves `" + shown + "`, which is the same tree");
    if (value.is_known()) {
      require(evaluate(*again, EmptyScope()) == value,
              "`" + text + "` has the value of `" + shown + "`");
    }
  } catch (const ExpressionError&) {
    // It has no value; that was reported with its position.
  }
}

void types(const std::string& text) {
  try {
    const Type type = parse_type(text);
    to_text(type);
    require(can_become(type, type), "a type can become itself: " + text);
    std::vector<Mismatch> mismatches;
    for (const Value& value : {Value(), Value(true), Value("5"), Value(Value::List{Value(1)}),
                               Value(Value::Object{{"a", Value("b")}})}) {
      mismatches.clear();
      const Value converted = convert(value, type, mismatches);
      if (mismatches.empty()) convert(converted, type, mismatches);
      require(mismatches.empty() || converted.is_null() || value.as<Value::List>() != nullptr ||
                  value.as<Value::Object>() != nullptr,
              "a converted value fits: " + text);
    }
  } catch (const ExpressionError&) {
    // It is not a type.
  }
}

// YAML files cannot contain these unless they are escaped, even in the strings of JSON: U+0080 to
// U+009F but the line end U+0085, a byte order mark, and the two last characters of the first plane
// (YAML 1.1, 5.1 Character Set).
bool needs_escape_in_yaml(const std::string& text) {
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    const std::string_view rest = std::string_view(text).substr(i);
    if (rest[0] == '\xc2' && rest[1] >= '\x80' && rest[1] <= '\x9f' && rest[1] != '\x85')
      return true;
    if (rest.starts_with("\xef\xbb\xbf") || rest.starts_with("\xef\xbf\xbe") ||
        rest.starts_with("\xef\xbf\xbf")) {
      return true;
    }
  }
  return false;
}

// The text as a JSON string that YAML reads as well: JSON may contain what YAML 1.1 takes for the
// end of a line, which quotes would fold (5.4 Line Break Characters).
std::string json_for_yaml(const std::string& text) {
  std::string json = nlohmann::json(text).dump();
  for (const auto& [line_end, escape] :
       {std::pair<std::string_view, std::string_view>{"\xc2\x85", "\\u0085"},
        {"\xe2\x80\xa8", "\\u2028"},
        {"\xe2\x80\xa9", "\\u2029"}}) {
    for (size_t at = 0; (at = json.find(line_end, at)) != json.npos; at += escape.size()) {
      json.replace(at, line_end.size(), escape);
    }
  }
  return json;
}

// The text as the value in a YAML file.
ExpressionPtr in_yaml(const std::string& text, size_t& errors) {
  slipway::source::Sources sources;
  slipway::source::Diagnostics diagnostics(sources);
  const auto file = sources.add("fuzz.yaml", json_for_yaml(text));
  const auto node = slipway::source::read_yaml(file, sources, diagnostics);
  require(node.has_value() && node->text == text, "YAML reads a JSON string: " + text);
  ExpressionPtr expression = from_yaml(*node, NameSyntax::blueprint, sources, diagnostics);
  render(diagnostics);
  errors = diagnostics.errors();
  return expression;
}

void notation(const std::string& text) {
  size_t errors = 0;
  in_yaml(text, errors);
  const ExpressionPtr expression = in_yaml(escape(text), errors);
  const auto* literal = expression->as<Literal>();
  require(errors == 0 && literal != nullptr && literal->value == Value(text),
          "an escaped text means itself: " + text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(data, data + size);
  if (const ExpressionPtr tree = read(text)) {
    const std::string printed = to_hcl(*tree);
    const ExpressionPtr again = read(printed);
    require(again != nullptr, "`" + text + "` is printed as `" + printed + "`, which can be read");
    require(tree_text(*again) == tree_text(*tree),
            "`" + text + "` is printed as `" + printed + "`, which is the same tree");
    values(text, *tree);
    types(text);
  }
  if (slipway::source::find_not_text(text) == std::string::npos && !needs_escape_in_yaml(text))
    notation(text);
  return 0;
}
