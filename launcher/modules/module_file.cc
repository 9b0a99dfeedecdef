// Reads a module.yaml.
#include "launcher/modules/module_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "launcher/expression/evaluate.h"
#include "launcher/expression/notation.h"
#include "launcher/modules/becomes.h"
#include "launcher/modules/resource_reader.h"
#include "launcher/source/keys.h"

namespace slipway::modules {
namespace {

using expression::ExpressionError;
using expression::ExpressionPtr;
using source::Code;
using source::Entry;
using source::Node;

class ModuleFileReader {
 public:
  ModuleFileReader(Bodies bodies, const source::Sources& sources, source::Diagnostics& diagnostics)
      : bodies_(bodies), sources_(sources), diagnostics_(diagnostics) {}

  Interface read(std::string path, const Node& root) {
    interface_.path = std::move(path);
    if (!root.is_mapping()) {
      wrong(root.span,
            fmt::format("a module file must be a mapping, but this is {}", describe(root)));
      return std::move(interface_);
    }
    keys(root, "a module file",
         {"about", "kind", "apis", "inputs", "id_input", "must_be_used", "rules", "locals",
          "resources", "template", "outputs", "model", "local", "toolkit_module",
          "toolkit_instead"});
    if (const Node* node = root.find("about")) interface_.about = text(*node);
    if (const Node* node = root.find("kind")) interface_.kind = text(*node);
    if (const Node* node = root.find("apis")) interface_.apis = texts(*node);
    for (const Entry& entry : entries(root, "inputs")) read_input(entry);
    for (const Entry& entry : entries(root, "outputs")) read_output(entry);
    for (const Entry& entry : entries(root, "locals")) {
      interface_.locals[entry.key] = tree(entry.value);
    }
    if (const Node* node = root.find("rules")) {
      for (const Node& rule : node->items) read_rule(rule);
    }
    if (const Node* node = root.find("id_input")) {
      interface_.id_input = input_name(*node);
    }
    if (const Node* node = root.find("must_be_used")) interface_.must_be_used = boolean(*node);
    if (const Node* node = root.find("model")) interface_.model = tree(*node);
    if (const Node* node = root.find("local")) interface_.local = text(*node);
    if (const Node* node = root.find("template")) interface_.packer_template = tree(*node);
    read_resources(root, bodies_, interface_, sources_, diagnostics_);
    if (const Node* node = root.find("toolkit_module")) read_toolkit_module(*node, root);
    if (const Node* node = root.find("toolkit_instead")) read_toolkit_instead(*node);
    return std::move(interface_);
  }

 private:
  void wrong(Span span, const std::string& message) {
    diagnostics_.error(Code::bad_module_file, span, message);
  }

  void keys(const Node& node, std::string_view what, std::vector<std::string> known) {
    source::check_keys(node, what, known, Code::bad_module_file, diagnostics_);
  }

  const std::vector<Entry>& entries(const Node& root, std::string_view key) {
    static const std::vector<Entry> none;
    const Node* node = root.find(key);
    if (node == nullptr) return none;
    if (!node->is_mapping()) {
      wrong(node->span,
            fmt::format("`{}` must be a mapping, but this is {}", key, describe(*node)));
    }
    return node->entries;
  }

  std::string text(const Node& node) {
    if (!node.is_scalar()) {
      wrong(node.span, fmt::format("expected a string, not {}", describe(node)));
    }
    return node.text;
  }

  std::vector<std::string> texts(const Node& node) {
    if (!node.is_sequence()) {
      wrong(node.span, fmt::format("expected a list, not {}", describe(node)));
    }
    std::vector<std::string> texts;
    for (const Node& item : node.items) texts.push_back(text(item));
    return texts;
  }

  bool boolean(const Node& node) {
    const source::Scalar scalar = node.is_scalar() ? source::resolve(node) : source::Scalar();
    const bool* value = std::get_if<bool>(&scalar);
    if (value == nullptr) wrong(node.span, "expected `true` or `false`");
    return value != nullptr && *value;
  }

  // It is a resource of its own type, see becomes.h.
  void read_toolkit_module(const Node& node, const Node& root) {
    keys(node, "`toolkit_module`", {"providers", "configures_providers"});
    for (const char* other : {"resources", "template"}) {
      if (root.find(other) == nullptr) continue;
      wrong(node.span, fmt::format("a module has either `{}` or `toolkit_module`", other));
    }
    interface_.resources.emplace().push_back(toolkit_call(node));
    for (const Output& output : interface_.outputs) {
      if (output.value) check_toolkit_output(output.value);
    }
  }

  void read_toolkit_instead(const Node& node) {
    keys(node, "`toolkit_instead`", {"when_set", "ours", "providers"});
    ToolkitInstead instead;
    if (const Node* inputs = node.find("when_set")) {
      for (const Node& item : inputs->items) instead.when_set.push_back(input_name(item));
    }
    if (const Node* names = node.find("ours")) instead.ours = texts(*names);
    instead.call = toolkit_call(node);
    instead.call.body = tree(node);
    interface_.toolkit_instead = std::move(instead);
  }

  Resource toolkit_call(const Node& node) {
    if (!interface_.path.starts_with("modules/") &&
        !interface_.path.starts_with("community/modules/")) {
      wrong(node.span, "only a module of the library can be one of Cluster Toolkit's");
    }
    if (const Node* providers = node.find("providers")) texts(*providers);
    if (const Node* value = node.find("configures_providers")) boolean(*value);
    Resource module;
    module.type = toolkit_type;
    module.name = "this";
    module.span = node.span;
    if (bodies_ == Bodies::read) module.body = tree(node);
    return module;
  }

  // There are no resources here to refer to, only outputs of the Terraform module.
  void check_toolkit_output(const ExpressionPtr& value) {
    expression::for_each_reference(value, [&](const expression::Traversal& traversal, Span span) {
      if (const std::string name = resource_reference(traversal); !name.empty()) {
        wrong(span, fmt::format("there is no resource `{}`", name));
      }
      if (traversal.root != "toolkit" || traversal.steps.empty()) return;
      const std::string& name = traversal.steps[0].name;
      if (interface_.output(name) != nullptr) return;
      diagnostics_.error(Code::bad_module_file, span, fmt::format("there is no output `{}`", name))
          .help(source::did_you_mean(name, interface_.output_names()));
    });
  }

  std::string input_name(const Node& node) {
    std::string name = text(node);
    if (interface_.input(name) == nullptr) {
      diagnostics_
          .error(Code::bad_module_file, node.span, fmt::format("there is no input `{}`", name))
          .help(source::did_you_mean(name, interface_.input_names()));
    }
    return name;
  }

  ExpressionPtr tree(const Node& node) {
    return expression::from_yaml(node, expression::NameSyntax::plain, sources_, diagnostics_);
  }

  void read_input(const Entry& entry) {
    keys(entry.value, "an input",
         {"type", "default", "help", "one_of", "gone", "no_effect", "place", "own"});
    Input input;
    input.name = entry.key;
    input.span = entry.key_span;
    if (const Node* node = entry.value.find("type")) {
      input.type = read_type(*node);
    } else {
      wrong(entry.key_span, fmt::format("the input `{}` has no type", entry.key));
    }
    if (const Node* node = entry.value.find("help")) input.help = text(*node);
    if (const Node* node = entry.value.find("one_of")) input.one_of = texts(*node);
    if (const Node* node = entry.value.find("gone")) input.gone = text(*node);
    if (const Node* node = entry.value.find("no_effect")) input.no_effect = text(*node);
    if (const Node* node = entry.value.find("place")) read_places(*node, input);
    const Node* node = entry.value.find("default");
    input.required = node == nullptr;
    if (node != nullptr) read_default(*node, input);
    interface_.inputs.push_back(std::move(input));
  }

  void read_places(const Node& node, Input& input) {
    if (!node.is_mapping()) {
      input.places[""] = text(node);
      return;
    }
    for (const Entry& attribute : node.entries) {
      input.places[attribute.key] = text(attribute.value);
    }
  }

  expression::Type read_type(const Node& node) {
    const std::string type = text(node);
    if (const auto known = types_.find(type); known != types_.end()) return known->second;
    const std::vector<uint32_t> offsets = source::text_offsets(node, sources_);
    try {
      return types_[type] = expression::parse_type(expression::Located{type, offsets});
    } catch (const ExpressionError& error) {
      wrong(error.span ? error.span : node.span, error.what());
      return {};
    }
  }

  void read_default(const Node& node, Input& input) {
    try {
      const auto value = expression::evaluate(*tree(node), expression::EmptyScope());
      std::vector<expression::Mismatch> mismatches;
      input.default_value = expression::convert(value, input.type, mismatches);
      for (const auto& mismatch : mismatches) {
        wrong(node.span, fmt::format("the default of `{}{}`: {}", input.name, mismatch.path,
                                     mismatch.message));
      }
    } catch (const ExpressionError& error) {
      wrong(error.span ? error.span : node.span, error.what());
    }
  }

  void read_output(const Entry& entry) {
    Output output;
    output.name = entry.key;
    output.span = entry.key_span;
    if (!entry.value.is_null())
      keys(entry.value, "an output", {"type", "help", "value", "sensitive", "own"});
    if (const Node* node = entry.value.find("type")) output.type = read_type(*node);
    if (const Node* node = entry.value.find("help")) output.help = text(*node);
    if (const Node* node = entry.value.find("value")) output.value = tree(*node);
    if (const Node* node = entry.value.find("sensitive")) output.sensitive = boolean(*node);
    interface_.outputs.push_back(std::move(output));
  }

  void read_rule(const Node& node) {
    keys(node, "a rule", {"that", "at", "else", "level"});
    const Node* that = node.find("that");
    const Node* at = node.find("at");
    const Node* message = node.find("else");
    if (that == nullptr || at == nullptr || message == nullptr) {
      wrong(node.span, "a rule needs `that`, `at` and `else`");
      return;
    }
    const Node* level = node.find("level");
    const std::string severity = level == nullptr ? "error" : text(*level);
    if (severity != "error" && severity != "warning") {
      wrong(level->span, "a rule's level must be `error` or `warning`");
    }
    interface_.rules.push_back(
        {tree(*that), input_name(*at), text(*message), severity == "warning"});
  }

  Interface interface_;
  const Bodies bodies_;
  std::map<std::string, expression::Type> types_;  // by text, since a file repeats a few types
  const source::Sources& sources_;
  source::Diagnostics& diagnostics_;
};

}  // namespace

Interface read_module_file(std::string path, const Node& root, Bodies bodies,
                           const source::Sources& sources, source::Diagnostics& diagnostics) {
  return ModuleFileReader(bodies, sources, diagnostics).read(std::move(path), root);
}

}  // namespace slipway::modules
