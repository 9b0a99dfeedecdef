// Fuzz target: expressions. A printed expression reads back as the same tree, a value printed as an
// expression has the same value again, and text that is escaped for YAML means itself.
#include <cstdint>
#include <string>

#include "launcher/expression/evaluate.h"
#include "launcher/expression/notation.h"
#include "launcher/expression/type.h"
#include "launcher/source/yaml_scalar.h"
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

// The text as the value in a YAML file.
ExpressionPtr in_yaml(const std::string& text, size_t& errors) {
  slipway::source::Sources sources;
  slipway::source::Diagnostics diagnostics(sources);
  const auto file = sources.add("fuzz.yaml", "text: " + slipway::source::yaml_scalar(text) + "\n");
  const auto root = slipway::source::read_yaml(file, sources, diagnostics);
  const auto* node = root ? root->find("text") : nullptr;
  require(node != nullptr && node->text == text, "YAML reads a text back: " + text);
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
  if (slipway::source::find_not_text(text) == std::string::npos) notation(text);
  return 0;
}
