// Finds where a module file uses an input, and what in it is its own.
#pragma once

#include <set>
#include <string>

#include "launcher/modules/interface.h"
#include "launcher/source/yaml.h"

namespace slipway::modules {

// The lines, from 1, of the expressions that use the input of that name. The interface has to have
// the bodies of its resources.
std::set<size_t> lines_that_use(const std::string& input, const Interface& interface,
                                const source::Sources& sources);

// Whether an input or output is marked with `own: true`; false for nullptr.
bool is_own(const source::Node* entry);

// The inputs of a module file that are.
std::set<std::string> own_inputs(source::Span file, const source::Sources& sources);

// Whether the default of `ours` is that of `theirs` for `theirs`' type. True if the latter cannot
// be written as a value.
bool same_default(const Input& ours, const Input& theirs);

}  // namespace slipway::modules
