// Writes inputs, outputs and rules of module files.
#include "launcher/modules/module_lines.h"

#include <fmt/core.h>

#include "common/text.h"
#include "launcher/expression/full_text.h"

namespace slipway::modules {

std::string describe_input(const Input& input) {
  const std::string type = expression::full_text(input.type);
  if (input.required) return type + ", must be set";
  const std::string value = input.default_value.is_known()
                                ? expression::full_text(input.default_value, 0)
                                : "an expression";
  return fmt::format("{}, default {}", type, value);
}

std::string deprecation_text(const std::string& theirs, const std::string& version) {
  if (!theirs.empty()) return theirs;
  return fmt::format("Cluster Toolkit {} refuses it", version);
}

TextLines input_lines(const Input& input, const ToolkitModule& theirs, const std::string& version) {
  TextLines lines{fmt::format("  {}:", input.name)};
  append(lines, text_lines(4, "type", expression::full_text(input.type)));
  const auto deprecated = theirs.deprecated.find(input.name);
  const bool is_deprecated = deprecated != theirs.deprecated.end();
  if (!input.required || is_deprecated) {
    append(lines, value_lines(4, "default", input.default_value));
  }
  if (const auto allowed = theirs.allowed.find(input.name); allowed != theirs.allowed.end()) {
    append(lines, list_lines(4, "one_of", allowed->second));
  }
  if (is_deprecated) {
    append(lines, text_lines(4, "gone", deprecation_text(deprecated->second, version)));
  }
  if (!input.help.empty()) append(lines, text_lines(4, "help", input.help));
  return lines;
}

TextLines output_lines(const Output& output) {
  TextLines lines{fmt::format("  {}:", output.name)};
  if (!output.help.empty()) append(lines, text_lines(4, "help", output.help));
  if (output.sensitive) append(lines, value_lines(4, "sensitive", true));
  return lines;
}

TextLines rules_of(const std::string& input, const ToolkitModule& theirs) {
  TextLines lines;
  if (theirs.deprecated.contains(input) || theirs.allowed.contains(input)) return lines;
  for (const Rule& rule : theirs.interface.rules) {
    if (rule.at != input || rule.validator) continue;
    TextLines that = text_lines(4, "that", "$(" + to_hcl(*rule.that) + ")");
    that[0].replace(0, 4, "  - ");
    append(lines, that);
    append(lines, text_lines(4, "at", rule.at));
    append(lines, text_lines(4, "else", rule.message));
  }
  return lines;
}

std::string toolkit_module_line(const ToolkitModule& theirs) {
  std::string line = list_lines(0, "providers", theirs.providers)[0];
  if (theirs.configures_providers) line += ", configures_providers: true";
  return "toolkit_module: {" + line + "}";
}

std::string new_module_text(const ToolkitModule& theirs, const std::string& version) {
  const Interface& interface = theirs.interface;
  const bool terraform = interface.kind == "terraform";
  TextLines lines{
      fmt::format("# Written by `slipway modules import` from Cluster Toolkit {}.", version)};
  append(lines,
         text_lines(0, "about", fmt::format("Cluster Toolkit's module {}.", interface.path)));
  if (!terraform) append(lines, text_lines(0, "kind", interface.kind));
  if (!interface.apis.empty()) append(lines, list_lines(0, "apis", interface.apis));
  if (!interface.id_input.empty()) append(lines, text_lines(0, "id_input", interface.id_input));
  if (interface.must_be_used) append(lines, value_lines(0, "must_be_used", true));
  if (terraform) lines.push_back(toolkit_module_line(theirs));
  append(lines, text_lines(0, "local", "nothing is known of it but its interface"));
  if (!interface.inputs.empty()) append(lines, {"", "inputs:"});
  TextLines rules;
  for (const Input& input : interface.inputs) {
    append(lines, input_lines(input, theirs, version));
    append(rules, rules_of(input.name, theirs));
  }
  if (!rules.empty()) append(lines, {"", "rules:"});
  append(lines, rules);
  if (!interface.outputs.empty()) append(lines, {"", "outputs:"});
  for (const Output& output : interface.outputs) append(lines, output_lines(output));
  return join(lines, "\n") + "\n";
}

}  // namespace slipway::modules
