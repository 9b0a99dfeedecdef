// The two ways in which YAML holds expressions: `$( … )` within a text and `(( … ))` as a whole
// one.
#pragma once

#include "launcher/expression/expression.h"
#include "launcher/source/yaml.h"

namespace slipway::expression {

enum class Names {
  blueprint,  // $(vars.zone) is var.zone, $(net.network_id) is module.net.network_id
  plain,      // $(input.zone) is input.zone: in module files
};

// A YAML value as an expression: mappings, lists and scalars keep their form, texts with
// expressions become expressions. What cannot be read is a diagnostic, and stands as null.
ExpressionPtr from_yaml(const source::Node& node, Names names, const source::Sources& sources,
                        source::Diagnostics& diagnostics);

// True when a text holds an expression.
bool has_expression(std::string_view text);

// A text with its escapes, so that it means itself when it is read again: `$(` becomes `\$(`.
std::string escape(std::string_view text);

}  // namespace slipway::expression
