// Describes one module, as text and as JSON.
#include "launcher/commands/module_page.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/text.h"
#include "launcher/commands/values.h"
#include "launcher/modules/becomes.h"

namespace slipway::commands {
namespace {

using expression::Type;
using modules::Input;
using modules::Interface;
using modules::Output;
using Json = nlohmann::ordered_json;

constexpr size_t name_indent = 2;
constexpr size_t help_indent = 6;

bool is_deep(const Type& type) {
  return type.kind == Type::Kind::object || type.kind == Type::Kind::tuple ||
         std::any_of(type.elements.begin(), type.elements.end(), is_deep);
}

class ModulePage {
 public:
  ModulePage(const Interface& interface, const Paint& paint)
      : interface_(interface), paint_(paint) {
    for (const Input& input : interface.inputs) {
      name_width_ = std::max(name_width_, input.name.size());
      type_width_ = std::max(type_width_, to_text(input.type).size());
    }
    for (const Output& output : interface.outputs) {
      name_width_ = std::max(name_width_, output.name.size());
    }
  }

  std::string text() {
    out_ = paint_.bold(interface_.path) + "\n" + wrapped(interface_.about, 0);
    if (interface_.kind == "packer") line("It builds an image with Packer.");
    line(fmt::format("On Google Cloud: {}.", modules::on_google(interface_).text));
    line(fmt::format("On this machine: {}.", modules::on_this_machine(interface_).text));
    if (interface_.must_be_used) line("It does nothing unless another module uses it.");
    const auto list = [&](const char* title, auto wanted) {
      const bool any = std::any_of(interface_.inputs.begin(), interface_.inputs.end(), wanted);
      if (any) heading(title);
      for (const Input& input : interface_.inputs) {
        if (wanted(input)) show(input);
      }
    };
    list("Inputs that must be set", [](const Input& i) { return i.gone.empty() && i.required; });
    list("Inputs", [](const Input& i) { return i.gone.empty() && !i.required; });
    outputs();
    rules();
    gone();
    if (!interface_.apis.empty()) {
      heading("Google APIs");
      out_ += wrapped(slipway::join(interface_.apis, ", "), name_indent);
    }
    return out_;
  }

 private:
  void heading(const char* title) { out_ += "\n" + paint_.bold(title) + "\n"; }
  void line(std::string_view text) { out_ += wrapped(text, 0); }

  // A row: the name, the type, and the rest.
  void row(const std::string& name, const Type& type, const std::string& rest) {
    std::string row = std::string(name_indent, ' ') + paint_.blue(name) +
                      std::string(name_width_ - name.size() + 2, ' ');
    row += rest.empty() ? to_text(type) : padded(to_text(type), type_width_ + 2) + rest;
    out_ += row + "\n";
  }

  void show(const Input& input) {
    // A default that is too long for the line goes below.
    const size_t columns = page_width - name_indent - name_width_ - type_width_ - 4;
    std::string value = input.required ? "" : to_text(input.default_value, 1000);
    if (input.name == interface_.id_input) value = "the module's id";
    const bool below = source::display_width(value) > columns || value.find('\n') != value.npos;
    row(input.name, input.type, below ? "" : value);
    out_ += wrapped(input.help, help_indent);
    if (!input.one_of.empty()) {
      out_ += wrapped("One of: " + slipway::join(input.one_of, ", "), help_indent);
    }
    deep_type(input.type);
    if (const auto* text = input.default_value.as<std::string>();
        text != nullptr && text->find('\n') != text->npos) {
      out_ += indented("Default:", help_indent) + indented(trim(*text), help_indent + 2);
    } else if (below) {
      out_ += indented("Default: " + to_text(input.default_value, page_width - help_indent - 9),
                       help_indent);
    }
  }

  void outputs() {
    if (interface_.outputs.empty()) return;
    heading("Outputs");
    for (const Output& output : interface_.outputs) {
      row(output.name, output.type,
          output.sensitive ? "secret"
          : output.value   ? ""
                           : "known after deployment");
      out_ += wrapped(output.help, help_indent);
      deep_type(output.type);
    }
  }

  // The full type, where the short form leaves attributes out.
  void deep_type(const Type& type) {
    if (!is_deep(type)) return;
    out_ += indented("Type: " + full_type(type, page_width - help_indent - 6), help_indent);
  }

  void rules() {
    if (interface_.rules.empty()) return;
    heading("Rules");
    for (const modules::Rule& rule : interface_.rules) {
      out_ += wrapped(
          fmt::format("`{}`: {}{}", rule.at, rule.message, rule.warning ? " (a warning)" : ""),
          name_indent);
    }
  }

  void gone() {
    bool first = true;
    for (const Input& input : interface_.inputs) {
      if (input.gone.empty()) continue;
      if (first) heading("Removed inputs");
      first = false;
      out_ += wrapped(fmt::format("`{}`: {}", input.name, input.gone), name_indent);
    }
  }

  const Interface& interface_;
  const Paint& paint_;
  size_t name_width_ = 0, type_width_ = 0;
  std::string out_;
};

Json becomes_json(const modules::Becomes& becomes) {
  return {{"becomes", becomes.name}, {"text", becomes.text}};
}

}  // namespace

std::string module_page(const Interface& interface, const Paint& paint) {
  return ModulePage(interface, paint).text();
}

Json module_json(const Interface& interface) {
  Json inputs = Json::array(), outputs = Json::array(), rules = Json::array();
  for (const Input& input : interface.inputs) {
    Json one{{"name", input.name},         {"type", full_type(input.type)},
             {"required", input.required}, {"default", to_json(input.default_value)},
             {"one_of", input.one_of},     {"help", input.help}};
    if (!input.gone.empty()) one["gone"] = input.gone;
    if (!input.no_effect.empty()) one["no_effect"] = input.no_effect;
    inputs.push_back(std::move(one));
  }
  for (const Output& output : interface.outputs) {
    outputs.push_back({{"name", output.name},
                       {"type", full_type(output.type)},
                       {"sensitive", output.sensitive},
                       {"help", output.help}});
  }
  for (const modules::Rule& rule : interface.rules) {
    rules.push_back({{"that", expression::to_hcl(*rule.that)},
                     {"at", rule.at},
                     {"message", rule.message},
                     {"severity", rule.warning ? "warning" : "error"}});
  }
  return {{"schema", "slipway/module/1"},
          {"path", interface.path},
          {"kind", interface.kind},
          {"about", interface.about},
          {"google", becomes_json(modules::on_google(interface))},
          {"local", becomes_json(modules::on_this_machine(interface))},
          {"must_be_used", interface.must_be_used},
          {"id_input", interface.id_input.empty() ? Json() : Json(interface.id_input)},
          {"inputs", std::move(inputs)},
          {"outputs", std::move(outputs)},
          {"rules", std::move(rules)},
          {"apis", interface.apis}};
}

}  // namespace slipway::commands
