// JSON Schema for the settings of modules.
#include "launcher/commands/type_schema.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "launcher/commands/values.h"

namespace slipway::commands {
namespace {

using expression::Type;
using Json = nlohmann::ordered_json;

constexpr const char* number_pattern = R"(^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$)";

// A kind of JSON value, text that matches the pattern, or null. It is one schema and not a choice
// of several, as editors then explain mistakes better. Editors built on VS Code's library show
// patternErrorMessage instead of the pattern.
Json value_or_text(const char* kind, const std::string& pattern, const char* expected) {
  return {{"type", {kind, "string", "null"}},
          {"pattern", pattern},
          {"patternErrorMessage", fmt::format("expected {} or an expression", expected)}};
}

Json object_schema(const Type& type) {
  Json schema = value_or_text("object", expression_pattern, "a mapping");
  Json properties = Json::object(), required = Json::array();
  for (const Type::Attribute& attribute : type.attributes) {
    Json one = type_schema(attribute.type);
    if (attribute.optional && !attribute.default_value.is_null()) {
      one["default"] = to_json(attribute.default_value);
    }
    properties[attribute.name] = std::move(one);
    if (!attribute.optional) required.push_back(attribute.name);
  }
  schema["properties"] = std::move(properties);
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

}  // namespace

Json type_schema(const Type& type) {
  switch (type.kind) {
    case Type::Kind::any:
      return Json::object();
    case Type::Kind::boolean:
      return value_or_text("boolean", std::string("^(true|false)$|") + expression_pattern,
                           "true, false");
    case Type::Kind::number:
      return value_or_text("number", std::string(number_pattern) + "|" + expression_pattern,
                           "a number");
    case Type::Kind::string:
      return {{"type", {"string", "number", "boolean", "null"}}};
    case Type::Kind::list:
    case Type::Kind::set: {
      Json schema = value_or_text("array", expression_pattern, "a list");
      schema["items"] = type_schema(type.elements[0]);
      return schema;
    }
    case Type::Kind::tuple: {
      Json schema = value_or_text("array", expression_pattern, "a list");
      schema["items"] = Json::array();
      for (const Type& element : type.elements) schema["items"].push_back(type_schema(element));
      schema["minItems"] = schema["maxItems"] = type.elements.size();
      return schema;
    }
    case Type::Kind::map: {
      Json schema = value_or_text("object", expression_pattern, "a mapping");
      schema["additionalProperties"] = type_schema(type.elements[0]);
      return schema;
    }
    case Type::Kind::object:
      return object_schema(type);
  }
  return Json::object();
}

Json input_schema(const modules::Input& input) {
  if (!input.gone.empty()) {
    const std::string message = fmt::format("this setting was removed: {}", input.gone);
    return {{"description", message},
            {"not", Json::object()},
            {"deprecationMessage", message},
            {"doNotSuggest", true}};
  }
  Json schema = type_schema(input.type);
  if (!input.one_of.empty()) {
    Json values = Json::array();
    for (const std::string& value : input.one_of) {
      values.push_back(value);
      if (input.type.kind == Type::Kind::number) values.push_back(Json::parse(value));
    }
    schema = {{"anyOf",
               {{{"enum", std::move(values)}},
                {{"type", "string"}, {"pattern", expression_pattern}},
                {{"type", "null"}}}}};
  }
  schema["title"] = expression::to_text(input.type);
  if (!input.help.empty()) schema["description"] = input.help;
  if (!input.required && !input.default_value.is_null()) {
    schema["default"] = to_json(input.default_value);
  }
  return schema;
}

}  // namespace slipway::commands
