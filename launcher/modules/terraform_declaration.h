// What one file of a Terraform or Packer module declares: its variables and outputs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/expression/type.h"
#include "launcher/modules/hcl_body.h"
#include "launcher/modules/interface.h"

namespace slipway::modules {

// A `variable` or an `output`. What the file does not say is absent, so that an override file can
// replace the rest.
struct Declaration {
  std::string name;
  Span span;
  std::optional<expression::Type> type;
  std::optional<expression::Value> default_value;  // unknown when it cannot be evaluated
  Span default_span;
  std::optional<std::string> description;
  std::optional<bool> nullable;
  std::optional<bool> sensitive;
  expression::ExpressionPtr value;  // of an output, when it is a constant
  std::vector<Rule> rules;          // of a variable's `validation` blocks
};

struct Declarations {
  std::vector<Declaration> variables;
  std::vector<Declaration> outputs;
};

enum class Dialect { terraform, packer };

// Reads a file; `file` is the span that Sources::add returned. Everything that is wrong is a
// diagnostic; false when the file's structure cannot be read.
bool read_declarations(Span file, Dialect dialect, const source::Sources& sources,
                       source::Diagnostics& diagnostics, Declarations& out);

// The same for a file in JSON (*.tf.json, *.pkr.json).
// https://developer.hashicorp.com/terraform/language/syntax/json
bool read_json_declarations(Span file, const source::Sources& sources,
                            source::Diagnostics& diagnostics, Declarations& out);

// The rule that a `validation` of the variable `name` means, over `input`. Nothing when it depends
// on what only Terraform knows.
std::optional<Rule> validation_rule(const std::string& name,
                                    const expression::ExpressionPtr& condition,
                                    const expression::ExpressionPtr& message);

// The value of an HCL attribute as a tree. Throws expression::ExpressionError.
expression::ExpressionPtr parse_value(Span value, const source::Sources& sources);

// What people read of a description: its first paragraph, on one line.
std::string one_line(std::string_view description);

}  // namespace slipway::modules
