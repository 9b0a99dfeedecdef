// Writes JSON trees as YAML.
#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "launcher/blueprint/expand.h"
#include "launcher/source/yaml.h"

namespace slipway::blueprint {
namespace {

using Json = nlohmann::ordered_json;

// 2001-12-14T21:59:43.10-05:00 and its like are a type of their own in YAML 1.1.
bool like_timestamp(std::string_view text) {
  return text.find('-') == 4 && text.find_first_not_of("0123456789-:.+TtZz ") == text.npos;
}

// True for a string that YAML reads literally without quotes.
bool is_plain(const std::string& text) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ') return false;
  if (std::string_view("-?:,[]{}#&*!|>'\"%@`").find(text.front()) != std::string_view::npos)
    return false;
  if (text.find(": ") != std::string::npos || text.find(" #") != std::string::npos) return false;
  if (text.back() == ':' || text.find_first_of("\n\r\t\\\"{}[],") != std::string::npos)
    return false;
  // Every reader must agree that it is a string, including those for YAML 1.1 (yes, 1:30, 1_000).
  const bool digits = text.find_first_of("0123456789") != std::string::npos;
  const bool numeric = text.find_first_not_of("0123456789.:_+-eExXoO") == std::string::npos;
  if (digits && (numeric || like_timestamp(text))) return false;
  for (std::string_view word :
       {"y",  "Y",  "yes", "Yes", "YES", "n",   "N",    "no",   "No", "NO",
        "on", "On", "ON",  "off", "Off", "OFF", ".inf", ".nan", "<<", "="}) {
    if (text == word) return false;
  }
  source::Node node;
  node.text = text;
  return std::holds_alternative<std::string>(source::resolve(node));
}

// JSON strings are valid double-quoted strings in YAML.
std::string quoted(const std::string& text) {
  return Json(text).dump();
}
std::string key_text(const std::string& text) {
  return is_plain(text) ? text : quoted(text);
}

class Writer {
 public:
  std::string write(const Json& tree) {
    value(tree, 0);
    return std::move(out_);
  }

 private:
  void value(const Json& node, size_t indent) {
    if (node.is_object() && !node.empty()) {
      mapping(node, indent);
    } else if (node.is_array() && !node.empty()) {
      list(node, indent);
    } else {
      out_ += node.is_string() ? key_text(node.get<std::string>()) : node.dump();
      out_ += '\n';
    }
  }

  void mapping(const Json& node, size_t indent) {
    bool first = true;
    for (const auto& [key, member] : node.items()) {
      if (!first) out_ += std::string(indent, ' ');
      first = false;
      out_ += key_text(key) + ":";
      below(member, indent);
    }
  }

  // A collection begins on the line below its key, anything else on the same line.
  void below(const Json& node, size_t indent) {
    const bool collection = node.is_structured() && !node.empty();
    if (!collection) {
      out_ += ' ';
      value(node, indent);
      return;
    }
    const size_t deeper = node.is_object() ? indent + 2 : indent;
    out_ += '\n' + std::string(deeper, ' ');
    value(node, deeper);
  }

  void list(const Json& node, size_t indent) {
    for (size_t i = 0; i < node.size(); ++i) {
      if (i > 0) out_ += std::string(indent, ' ');
      out_ += "- ";
      value(node[i], indent + 2);
    }
  }

  std::string out_;
};

}  // namespace

std::string to_yaml(const Json& tree) {
  return Writer().write(tree);
}

}  // namespace slipway::blueprint
