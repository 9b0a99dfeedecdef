// Reads expressions in YAML: `$( … )` inside a string, and `(( … ))` as a whole string.
#pragma once

#include "launcher/expression/expression.h"
#include "launcher/source/yaml.h"

namespace slipway::expression {

enum class NameSyntax {
  blueprint,  // $(vars.zone) is var.zone, $(net.network_id) is module.net.network_id
  plain,      // $(input.zone) is input.zone: in module files
};

// A YAML value as an expression: mappings, lists and scalars keep their form, and strings with
// expressions become expressions. Reports what cannot be read and replaces it with an unknown.
ExpressionPtr from_yaml(const source::Node& node, NameSyntax names, const source::Sources& sources,
                        source::Diagnostics& diagnostics);

// True if a string contains an expression.
bool has_expression(std::string_view text);

// Escapes a string so that it is read back literally: `$(` becomes `\$(`.
std::string escape(std::string_view text);

}  // namespace slipway::expression
