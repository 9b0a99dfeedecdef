// Reads the variables and outputs that a file of a Terraform or Packer module declares.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/expression/type.h"
#include "launcher/modules/hcl_body.h"
#include "launcher/modules/interface.h"

namespace slipway::modules {

// A `variable` or an `output`. Unspecified members are absent, so that an override file replaces
// only what it specifies.
struct Declaration {
  std::string name;
  Span span;
  std::optional<expression::Type> type;
  std::optional<expression::Value> default_value;  // unknown if it cannot be evaluated
  Span default_span;
  std::optional<std::string> description;
  std::optional<bool> nullable;
  std::optional<bool> sensitive;
  expression::ExpressionPtr value;  // of an output, if it is a constant
  std::vector<Rule> rules;          // of a variable's `validation` blocks
};

struct Declarations {
  std::vector<Declaration> variables;
  std::vector<Declaration> outputs;
};

enum class Dialect { terraform, packer };

// Reads a file; `file` is the span that Sources::add returned. Reports all errors; returns false if
// the file's structure cannot be read.
bool read_declarations(Span file, Dialect dialect, const source::Sources& sources,
                       source::Diagnostics& diagnostics, Declarations& out);

// The same for a JSON file (*.tf.json, *.pkr.json).
// https://developer.hashicorp.com/terraform/language/syntax/json
bool read_json_declarations(Span file, const source::Sources& sources,
                            source::Diagnostics& diagnostics, Declarations& out);

// The rule for a `validation` of the variable `name`, as an expression over `input`. Nothing if
// only Terraform can evaluate it.
std::optional<Rule> validation_rule(const std::string& name,
                                    const expression::ExpressionPtr& condition,
                                    const expression::ExpressionPtr& message);

// Parses the value of an HCL attribute. Throws expression::ExpressionError.
expression::ExpressionPtr parse_value(Span value, const source::Sources& sources);

// The first paragraph of a description, on one line.
std::string one_line(std::string_view description);

}  // namespace slipway::modules
