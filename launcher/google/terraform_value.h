// Values as Terraform reads them in its JSON syntax
// (https://developer.hashicorp.com/terraform/language/syntax/json).
#pragma once

#include <nlohmann/json.hpp>

#include "launcher/expression/expression.h"

namespace slipway::google {

using Json = nlohmann::ordered_json;

enum class Nulls {
  kept,
  left_out,  // of a resource: an argument that is not written is null, and a block cannot be
};

// What is known as JSON, with `${` and `%{` in texts escaped; what is unknown as a text "${…}".
// `nulls` are those that are members of objects.
Json to_terraform(const expression::Value& value, Nulls nulls = Nulls::kept);

// One expression: "${…}", or the template itself, "net-${google_x.y.name}".
std::string to_terraform(const expression::Expression& expression);

// The file's text: two spaces a level, ends with a line feed.
std::string to_text(const Json& file);

}  // namespace slipway::google
