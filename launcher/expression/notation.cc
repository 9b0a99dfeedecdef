// Reads expressions in YAML.
//
// Escapes: half of the backslashes before `$(`, rounded down, are kept, and an odd one makes the
// `$(` literal; `\((…))` is the literal string `((…))`.
#include "launcher/expression/notation.h"

#include <fmt/core.h>

#include "launcher/expression/parser.h"

namespace slipway::expression {
namespace {

using source::Code;
using source::Node;

bool is_whole(std::string_view text) {
  return text.size() >= 4 && text.starts_with("((") && text.ends_with("))");
}

// The number of backslashes right before `at`.
size_t backslashes(std::string_view text, size_t at) {
  size_t count = 0;
  while (count < at && text[at - count - 1] == '\\') ++count;
  return count;
}

// Translates the names in blueprints, vars.x and module.output, to Terraform's.
ExpressionPtr blueprint_names(const ExpressionPtr& expression) {
  return rewrite(expression, [](const Traversal& traversal, Span span) -> ExpressionPtr {
    const bool variable = traversal.root == "vars";
    const bool named = !traversal.steps.empty() && traversal.steps[0].kind == Step::Kind::attribute;
    // A key or [*] after a module's name selects among its instances.
    if (traversal.steps.empty() || (variable && !named)) {
      throw ExpressionError(
          Code::bad_reference, span, fmt::format("`{}` is not a value by itself", traversal.root),
          variable ? "name the variable: `vars.NAME`"
                   : fmt::format("a variable is `vars.{0}`, an output of a module `{0}.NAME`",
                                 traversal.root));
    }
    Traversal translated = traversal;
    if (variable) {
      translated.root = "var";
    } else {
      const Span root{span.begin, span.begin + static_cast<uint32_t>(traversal.root.size())};
      translated.root = "module";
      translated.steps.insert(translated.steps.begin(),
                              {Step::Kind::attribute, traversal.root, nullptr, root});
    }
    return make(span, std::move(translated));
  });
}

class NotationReader {
 public:
  NotationReader(NameSyntax names, const source::Sources& sources, source::Diagnostics& diagnostics)
      : names_(names), sources_(sources), diagnostics_(diagnostics) {}

  ExpressionPtr read(const Node& node) {
    if (node.is_sequence()) {
      Tuple tuple{{}, Form::yaml};
      for (const Node& item : node.items) tuple.items.push_back(read(item));
      return make(node.span, std::move(tuple));
    }
    if (node.is_mapping()) {
      ObjectExpression object{{}, Form::yaml};
      for (const source::Entry& entry : node.entries) {
        object.items.push_back(
            {make(entry.key_span, Literal{Value(entry.key)}), read(entry.value), false});
      }
      return make(node.span, std::move(object));
    }
    return scalar(node);
  }

 private:
  ExpressionPtr scalar(const Node& node) {
    const source::Scalar meaning = source::resolve(node);
    const auto* text = std::get_if<std::string>(&meaning);
    if (text == nullptr) {
      return std::visit([&](const auto& value) { return make(node.span, Literal{Value(value)}); },
                        meaning);
    }
    if (!is_whole(*text) && text->find("$(") == std::string::npos && !text->starts_with("\\((")) {
      return make(node.span, Literal{Value(*text)});
    }
    try {
      return expression(node, *text);
    } catch (const ExpressionError& error) {
      diagnostics_.error(error.code, error.span ? error.span : node.span, error.what())
          .help(cut_short(node, error)
                    ? "quote the string: inside `{…}` and `[…]`, YAML ends it at "
                      "the comma"
                    : error.help);
      // An unknown causes no further diagnostics.
      return make(node.span, Literal{Unknown{make(node.span, Literal{Value(*text)}), {}}});
    }
  }

  // Whether YAML ended the string at the comma between two arguments.
  bool cut_short(const Node& node, const ExpressionError& error) const {
    return node.style == source::Style::plain && error.code == Code::expression_syntax &&
           error.span.begin >= node.span.end && sources_.rest(node.span.end).starts_with(",");
  }

  ExpressionPtr expression(const Node& node, const std::string& text) {
    const std::vector<uint32_t> offsets = source::text_offsets(node, sources_);
    if (is_whole(text)) {
      const std::string_view inner = std::string_view(text).substr(2, text.size() - 4);
      return parse({inner, std::span(offsets).subspan(2, inner.size() + 1)});
    }
    if (text.starts_with("\\((") && text.ends_with("))")) {
      return make(node.span, Literal{Value(text.substr(1))});
    }
    return with_parts(node, {text, offsets});
  }

  ExpressionPtr with_parts(const Node& node, const Located& text) {
    Template parts;
    std::string literal;
    for (size_t at = 0; at < text.text.size();) {
      const size_t open = text.text.find("$(", at);
      if (open == std::string_view::npos) {
        literal += text.text.substr(at);
        break;
      }
      const size_t escapes = std::min(backslashes(text.text, open), open - at);
      literal += text.text.substr(at, open - at - escapes);
      literal += std::string(escapes / 2, '\\');
      at = open + 2;
      if (escapes % 2 == 1) {
        literal += "$(";
        continue;
      }
      if (!literal.empty()) parts.parts.push_back(make(node.span, Literal{Value(literal)}));
      literal.clear();
      ExpressionPtr inner = parse_parenthesized(text, at);
      parts.parts.push_back(names_ == NameSyntax::blueprint ? blueprint_names(inner) : inner);
    }
    const bool only_literal = parts.parts.empty();
    if (!literal.empty()) parts.parts.push_back(make(node.span, Literal{Value(literal)}));
    if (only_literal || parts.parts.size() == 1) return parts.parts[0];
    return make(node.span, std::move(parts));
  }

  NameSyntax names_;
  const source::Sources& sources_;
  source::Diagnostics& diagnostics_;
};

}  // namespace

ExpressionPtr from_yaml(const Node& node, NameSyntax names, const source::Sources& sources,
                        source::Diagnostics& diagnostics) {
  return NotationReader(names, sources, diagnostics).read(node);
}

bool has_expression(std::string_view text) {
  if (is_whole(text)) return true;
  for (size_t at = text.find("$("); at != std::string_view::npos; at = text.find("$(", at + 2)) {
    if (backslashes(text, at) % 2 == 0) return true;
  }
  return false;
}

std::string escape(std::string_view text) {
  std::string out;
  if (is_whole(text)) out += '\\';
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("$(")) {
      // Reading halves the backslashes, so double them here.
      out += std::string(backslashes(text, i), '\\') + '\\';
    }
    out += text[i];
  }
  return out;
}

}  // namespace slipway::expression
