// Where the blueprint has a value that a resource gets.
#pragma once

#include <string>

#include "launcher/blueprint/deployment.h"
#include "launcher/google/terraform_value.h"

namespace slipway::google {

// Whether the value is `wanted`, or has it somewhere in it, as a value or a key.
bool has_value(const expression::Value& value, const Json& wanted);

// Whether a list has the value.
bool has_item(const expression::Value& value, const Json& wanted);

// Where a setting has the value; empty if it is computed.
source::Span place_in(const expression::ExpressionPtr& setting, const Json& wanted);

// Where an attribute in a setting has the value; empty if it is computed.
source::Span place_of(const std::string& attribute, const expression::ExpressionPtr& setting,
                      const Json& wanted);

// Where the setting of an input has the text, or else the setting; the module's id without one.
source::Span place_in(const blueprint::Module& module, const std::string& input,
                      const std::string& text);

}  // namespace slipway::google
