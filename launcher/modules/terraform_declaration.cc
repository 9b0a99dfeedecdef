// Reads variables and outputs from HCL files.
// https://developer.hashicorp.com/terraform/language/block/variable
#include "launcher/modules/terraform_declaration.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "common/text.h"
#include "launcher/expression/evaluate.h"
#include "launcher/expression/tokens.h"

namespace slipway::modules {
namespace {

using expression::ExpressionError;
using expression::ExpressionPtr;
using expression::Value;
using source::Code;

// A text, and the source offset of each of its bytes.
struct Located {
  Located(Span span, const source::Sources& sources)
      : text(sources.text(span)), offsets(text.size() + 1) {
    std::iota(offsets.begin(), offsets.end(), span.begin);
  }
  expression::Located get() const { return {text, offsets}; }
  std::string_view text;
  std::vector<uint32_t> offsets;
};

class DeclarationReader {
 public:
  DeclarationReader(Dialect dialect, const source::Sources& sources,
                    source::Diagnostics& diagnostics, Declarations& out)
      : dialect_(dialect), sources_(sources), diagnostics_(diagnostics), out_(out) {}

  void read(const HclBody& file) {
    for (const HclBlock& block : file.blocks) {
      if (block.type == "variable" && is_named(block)) {
        out_.variables.push_back(variable(block));
      } else if (block.type == "output" && dialect_ == Dialect::terraform && is_named(block)) {
        out_.outputs.push_back(output(block));
      } else if (block.type == "variables" && dialect_ == Dialect::packer) {
        for (const HclAttribute& attribute : block.body.attributes) short_variable(attribute);
      }
    }
  }

 private:
  void wrong(Span span, const std::string& message) {
    diagnostics_.error(Code::bad_module_file, span, message);
  }

  bool is_named(const HclBlock& block) {
    if (block.labels.size() == 1 && expression::is_identifier(block.labels[0].text)) return true;
    if (block.labels.size() == 1) {
      wrong(block.labels[0].span, fmt::format("`{}` is not a name", block.labels[0].text));
      return false;
    }
    wrong(block.labels.empty() ? block.span : block.labels[1].span,
          fmt::format("a `{}` block must have exactly one name", block.type));
    return false;
  }

  Declaration begin(const HclBlock& block, std::span<const std::string> known) {
    Declaration declaration;
    declaration.name = block.labels[0].text;
    declaration.span = block.labels[0].span;
    for (auto at = block.body.attributes.begin(); at != block.body.attributes.end(); ++at) {
      const HclAttribute* first = block.body.find(at->name);
      if (first != &*at) {
        diagnostics_.error(Code::duplicate_key, at->span, fmt::format("duplicate `{}`", at->name))
            .other(first->span, "first defined here");
      }
      // Report an unknown argument only if it looks like a typo: a later Terraform may have more.
      if (std::find(known.begin(), known.end(), at->name) != known.end()) continue;
      const std::string guess = source::did_you_mean(at->name, known);
      if (guess.empty()) continue;
      diagnostics_
          .error(Code::unknown_key, at->span,
                 fmt::format("{} `{}` has no `{}`", block.type, declaration.name, at->name))
          .help(guess);
    }
    declaration.description = constant<std::string>(block.body, "description", "a string");
    declaration.sensitive = constant<bool>(block.body, "sensitive", "`true` or `false`");
    return declaration;
  }

  Declaration variable(const HclBlock& block) {
    static const std::array<std::string, 8> known{"default",    "description", "ephemeral",
                                                  "nullable",   "sensitive",   "type",
                                                  "deprecated", "const"};
    Declaration declaration = begin(block, known);
    declaration.nullable = constant<bool>(block.body, "nullable", "`true` or `false`");
    if (const HclAttribute* type = block.body.find("type")) read_type(*type, declaration);
    if (const HclAttribute* value = block.body.find("default")) read_default(*value, declaration);
    for (const HclBlock& inner : block.body.blocks) {
      if (inner.type == "validation") read_validation(inner, declaration);
    }
    return declaration;
  }

  // variables { zone = "us-central1-a" }
  void short_variable(const HclAttribute& attribute) {
    Declaration declaration;
    declaration.name = attribute.name;
    declaration.span = attribute.span;
    read_default(attribute, declaration);
    out_.variables.push_back(std::move(declaration));
  }

  Declaration output(const HclBlock& block) {
    static const std::array<std::string, 6> known{"depends_on", "description", "ephemeral",
                                                  "sensitive",  "value",       "deprecated"};
    Declaration declaration = begin(block, known);
    const HclAttribute* attribute = block.body.find("value");
    if (attribute == nullptr) return declaration;
    try {
      // References and functions that cannot be evaluated here are left to Terraform.
      const ExpressionPtr tree = parse_value(attribute->value, sources_);
      if (expression::evaluate(*tree, expression::EmptyScope()).is_known()) {
        declaration.value = tree;
      }
    } catch (const ExpressionError&) {
      declaration.value = nullptr;
    }
    return declaration;
  }

  void read_type(const HclAttribute& attribute, Declaration& declaration) {
    try {
      declaration.type = expression::parse_type(Located(attribute.value, sources_).get());
    } catch (const ExpressionError& error) {
      wrong(error.span ? error.span : attribute.value, error.what());
      declaration.type.emplace();
    }
  }

  void read_default(const HclAttribute& attribute, Declaration& declaration) {
    declaration.default_span = attribute.value;
    declaration.default_value = Value(expression::Unknown{
        expression::reference("input", {declaration.name}, attribute.span), {}});
    try {
      const ExpressionPtr tree = parse_value(attribute.value, sources_);
      declaration.default_value = Value(expression::Unknown{tree, {}});
      // Packer evaluates functions and reads the environment in defaults when it runs.
      bool calls = false;
      expression::for_each_call(tree, [&](const expression::Call&) { calls = true; });
      if (calls && dialect_ == Dialect::packer) return;
      declaration.default_value = expression::evaluate(*tree, expression::EmptyScope());
    } catch (const ExpressionError& error) {
      report(error, attribute.value, diagnostics_);
    }
  }

  void read_validation(const HclBlock& block, Declaration& declaration) {
    const HclAttribute* condition = block.body.find("condition");
    const HclAttribute* message = block.body.find("error_message");
    if (condition == nullptr || message == nullptr) {
      wrong(block.span, "a validation needs `condition` and `error_message`");
      return;
    }
    try {
      auto rule = validation_rule(declaration.name, parse_value(condition->value, sources_),
                                  parse_value(message->value, sources_));
      if (rule) declaration.rules.push_back(*std::move(rule));
    } catch (const ExpressionError&) {
      return;  // Terraform, perhaps a later version, checks the condition itself
    }
  }

  template <class T>
  std::optional<T> constant(const HclBody& body, std::string_view name, std::string_view what) {
    const HclAttribute* attribute = body.find(name);
    if (attribute == nullptr) return std::nullopt;
    try {
      const Value value =
          expression::evaluate(*parse_value(attribute->value, sources_), expression::EmptyScope());
      if (const T* constant = value.as<T>()) return *constant;
      if (value.is_null()) return std::nullopt;
      wrong(attribute->value,
            fmt::format("`{}` must be {}, but this is {}", name, what, describe(value)));
    } catch (const ExpressionError& error) {
      report(error, attribute->value, diagnostics_);
    }
    return std::nullopt;
  }

  Dialect dialect_;
  const source::Sources& sources_;
  source::Diagnostics& diagnostics_;
  Declarations& out_;
};

// The text of a message, with expressions as written.
std::string message_text(const ExpressionPtr& message) {
  if (const auto* literal = message->as<expression::Literal>()) {
    return expression::text_of(literal->value).value_or("");
  }
  if (const auto* parts = message->as<expression::Template>()) {
    std::string text;
    for (const ExpressionPtr& part : parts->parts) text += message_text(part);
    return text;
  }
  return "${" + to_hcl(*message) + "}";
}

}  // namespace

bool read_declarations(Span file, Dialect dialect, const source::Sources& sources,
                       source::Diagnostics& diagnostics, Declarations& out) {
  HclBody body;
  const bool whole = read_hcl(file, sources, diagnostics, body);
  if (whole) DeclarationReader(dialect, sources, diagnostics, out).read(body);
  return whole;
}

std::optional<Rule> validation_rule(const std::string& name, const ExpressionPtr& condition,
                                    const ExpressionPtr& message) {
  bool known = true;
  const auto to_input = [&](const expression::Traversal& traversal, Span span) -> ExpressionPtr {
    if (traversal.root != "var" || traversal.steps.empty()) {
      known = false;
      return nullptr;
    }
    expression::Traversal renamed = traversal;
    renamed.root = "input";
    return expression::make(span, std::move(renamed));
  };
  const ExpressionPtr that = expression::rewrite(condition, to_input);
  if (!known) return std::nullopt;
  std::string text = one_line(message_text(message));
  while (text.ends_with('.')) text.pop_back();
  Rule rule;
  rule.that = that;
  rule.at = name;
  rule.message = std::move(text);
  return rule;
}

ExpressionPtr parse_value(Span value, const source::Sources& sources) {
  return expression::parse(Located(value, sources).get());
}

std::string one_line(std::string_view description) {
  std::vector<std::string> words;
  for (const std::string& line : split(trim(description), '\n')) {
    if (trim(line).empty()) break;
    words.emplace_back(trim(line));
  }
  return join(words, " ");
}

}  // namespace slipway::modules
