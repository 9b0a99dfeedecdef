// Compares one value with a rule of values.yaml.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "launcher/google/resource_rules.h"
#include "launcher/google/terraform_value.h"

namespace slipway::google {

// Whether only the deployment knows all of the text.
bool is_expression(const std::string& text);

bool is_listed(const std::vector<std::string>& types, const std::string& type);

// The text of a key; empty if it is missing or not a text.
std::string text_of(const Json& block, const char* key);

// The number that a value is, also one in quotes.
std::optional<double> number_of(const Json& value);

bool is_too_long(int64_t longest, const std::string& text);

// The hint "did you mean `gcsfuse`?" for a text that breaks a rule; empty if there is no guess.
std::string meant_by(const ValueRule& rule, const std::string& text);

// Whether a plain value keeps a rule; true if only the deployment knows it.
bool keeps(const ValueRule& rule, const Json& value);

}  // namespace slipway::google
