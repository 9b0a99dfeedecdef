// The lines of inputs, outputs and rules in module files, for `slipway modules import`.
#pragma once

#include <optional>
#include <string>

#include "launcher/modules/toolkit_checkout.h"
#include "launcher/modules/yaml_lines.h"

namespace slipway::modules {

// How an input was before, for the report: "type string, default "x"".
std::string describe_input(const Input& input);

// `name:` with type, default, allowed values and help. A deprecated input gets `gone`.
TextLines input_lines(const Input& input, const ToolkitModule& theirs, const std::string& version);

// Why a blueprint cannot set an input that Cluster Toolkit refuses.
std::string deprecation_text(const std::string& theirs, const std::string& version);

TextLines output_lines(const Output& output);

// Items of `rules` for Cluster Toolkit's checks of an input, except those that its lines have.
TextLines rules_of(const std::string& input, const ToolkitModule& theirs);

// `toolkit_module: {providers: [google]}`.
std::string toolkit_module_line(const ToolkitModule& theirs);

// A new module file: Cluster Toolkit's own module, with its interface.
std::string new_module_text(const ToolkitModule& theirs, const std::string& version);

}  // namespace slipway::modules
