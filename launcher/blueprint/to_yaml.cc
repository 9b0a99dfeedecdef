// Writes JSON trees as YAML.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "launcher/blueprint/expand.h"
#include "launcher/source/yaml_scalar.h"

namespace slipway::blueprint {
namespace {

using Json = nlohmann::ordered_json;

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
      out_ += node.is_string() ? source::yaml_scalar(node.get<std::string>()) : node.dump();
      out_ += '\n';
    }
  }

  void mapping(const Json& node, size_t indent) {
    bool first = true;
    for (const auto& [key, member] : node.items()) {
      if (!first) out_ += std::string(indent, ' ');
      first = false;
      out_ += source::yaml_scalar(key) + ":";
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
