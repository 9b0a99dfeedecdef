// Reads variables and outputs from JSON files, with the YAML reader, which provides places.
#include <fmt/core.h>

#include "launcher/expression/tokens.h"
#include "launcher/modules/terraform_declaration.h"
#include "launcher/source/yaml.h"

namespace slipway::modules {
namespace {

using expression::ExpressionError;
using expression::Value;
using source::Code;
using source::Entry;
using source::Node;

Value plain_value(const Node& node) {
  if (node.is_sequence()) {
    Value::List list;
    for (const Node& item : node.items) list.push_back(plain_value(item));
    return list;
  }
  if (node.is_mapping()) {
    Value::Object object;
    for (const Entry& entry : node.entries) {
      object.insert_or_assign(entry.key, plain_value(entry.value));
    }
    return object;
  }
  return std::visit([](const auto& scalar) { return Value(scalar); }, source::resolve(node));
}

class TerraformJsonReader {
 public:
  TerraformJsonReader(const source::Sources& sources, source::Diagnostics& diagnostics,
                      Declarations& out)
      : sources_(sources), diagnostics_(diagnostics), out_(out) {}

  void read(const Node& file) {
    if (!file.is_mapping()) {
      wrong(file.span,
            fmt::format("a Terraform file must be an object, but this is {}", describe(file)));
      return;
    }
    each_block(file, "variable", out_.variables);
    each_block(file, "output", out_.outputs);
  }

 private:
  void wrong(Span span, const std::string& message) {
    diagnostics_.error(Code::bad_module_file, span, message);
  }

  // {"variable": {"zone": {…}}}; each level may be an array of such objects.
  void each_block(const Node& file, std::string_view type, std::vector<Declaration>& out) {
    const Node* all = file.find(type);
    if (all == nullptr) return;
    for (const Node* group : one_or_more(*all)) {
      for (const Entry& entry : group->entries) {
        for (const Node* body : one_or_more(entry.value)) {
          if (expression::is_identifier(entry.key)) {
            out.push_back(declaration(entry, *body));
          } else {
            wrong(entry.key_span, fmt::format("`{}` is not a name", entry.key));
          }
        }
      }
    }
  }

  std::vector<const Node*> one_or_more(const Node& node) {
    std::vector<const Node*> nodes;
    if (node.is_sequence()) {
      for (const Node& item : node.items) nodes.push_back(&item);
    } else {
      nodes.push_back(&node);
    }
    for (const Node* one : nodes) {
      if (one->is_mapping()) continue;
      wrong(one->span, fmt::format("expected an object, not {}", describe(*one)));
      return {};
    }
    return nodes;
  }

  Declaration declaration(const Entry& entry, const Node& body) {
    Declaration out;
    out.name = entry.key;
    out.span = entry.key_span;
    out.description = constant<std::string>(body, "description", "a string");
    out.sensitive = constant<bool>(body, "sensitive", "`true` or `false`");
    out.nullable = constant<bool>(body, "nullable", "`true` or `false`");
    if (const Node* type = body.find("type")) read_type(*type, out);
    if (const Node* value = body.find("default")) {
      out.default_value = plain_value(*value);
      out.default_span = value->span;
    }
    if (const Node* validations = body.find("validation")) {
      for (const Node* validation : one_or_more(*validations)) read_validation(*validation, out);
    }
    return out;
  }

  void read_type(const Node& node, Declaration& out) {
    try {
      out.type = expression::parse_type(
          expression::Located{node.text, source::text_offsets(node, sources_)});
    } catch (const ExpressionError& error) {
      wrong(error.span ? error.span : node.span, error.what());
      out.type.emplace();
    }
  }

  // In JSON, a condition is a string "${…}".
  void read_validation(const Node& node, Declaration& out) {
    const Node* condition = node.find("condition");
    const Node* message = node.find("error_message");
    if (condition == nullptr || message == nullptr) {
      wrong(node.span, "a validation needs `condition` and `error_message`");
      return;
    }
    std::string_view text = condition->text;
    if (!text.starts_with("${") || !text.ends_with('}')) return;
    text.remove_prefix(2);
    text.remove_suffix(1);
    const std::vector<uint32_t> offsets = source::text_offsets(*condition, sources_);
    try {
      auto rule = validation_rule(
          out.name,
          expression::parse(
              expression::Located{text, std::span(offsets).subspan(2, text.size() + 1)}),
          expression::make(message->span, expression::Literal{Value(message->text)}));
      if (rule) out.rules.push_back(*std::move(rule));
    } catch (const ExpressionError&) {
      return;  // as in HCL: Terraform checks the condition itself
    }
  }

  template <class T>
  std::optional<T> constant(const Node& body, std::string_view name, std::string_view what) {
    const Node* node = body.find(name);
    if (node == nullptr || node->is_null()) return std::nullopt;
    const source::Scalar scalar = node->is_scalar() ? source::resolve(*node) : source::Scalar();
    if (const T* value = std::get_if<T>(&scalar)) return *value;
    wrong(node->span, fmt::format("`{}` must be {}, but this is {}", name, what, describe(*node)));
    return std::nullopt;
  }

  const source::Sources& sources_;
  source::Diagnostics& diagnostics_;
  Declarations& out_;
};

}  // namespace

bool read_json_declarations(Span file, const source::Sources& sources,
                            source::Diagnostics& diagnostics, Declarations& out) {
  const auto root = source::read_yaml(file, sources, diagnostics);
  if (root) TerraformJsonReader(sources, diagnostics, out).read(*root);
  return root.has_value();
}

}  // namespace slipway::modules
