// Writes values in Terraform's JSON syntax
// (https://developer.hashicorp.com/terraform/language/syntax/json).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "launcher/expression/expression.h"

namespace slipway::google {

using Json = nlohmann::ordered_json;

enum class Nulls {
  kept,
  left_out,  // for resources: a missing argument is null, and a block cannot be null
};

// Known values as JSON, with `${` and `%{` in strings escaped; unknown values as a string "${…}".
// `nulls` applies to members of objects.
Json to_terraform(const expression::Value& value, Nulls nulls = Nulls::kept);

// One expression: "${…}", or the template itself, "net-${google_x.y.name}".
std::string to_terraform(const expression::Expression& expression);

// The text of a file: indented by two spaces, ends with a line feed.
std::string to_text(const Json& file);

}  // namespace slipway::google
