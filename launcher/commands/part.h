// Paths to parts of values and expressions: .name, [0], ["name"].
#pragma once

#include <string>
#include <vector>

#include "launcher/expression/expression.h"

namespace slipway::commands {

using Path = std::vector<expression::Step>;

// ".name[0]" as steps. Throws UsageError for any other text.
Path parse_path(const std::string& text);

// The same as text.
std::string path_text(const Path& path);

// The name of a step: `zone` is the first of var.zone. Null when it has none.
const std::string* name_after(const expression::Traversal& traversal, size_t step);

// The beginning of the path in which every step is a name or a known index.
Path plain_part(const Path& path);

// The part of the value that a plain path leads to; of what is unknown, the expression of it.
// Throws Error when the value has no such part, with what it has.
expression::Value part_of(const expression::Value& value, const Path& path);

// The part of a list or an object, as it is written, that a plain path leads to. `path` loses the
// steps that were taken; the remaining path leads on within the result.
expression::ExpressionPtr part_of(const expression::ExpressionPtr& expression, Path& path);

}  // namespace slipway::commands
