// A custom job of Vertex AI as JSON, which its API takes.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <variant>

#include "common/error.h"
#include "launcher/conversion/vertex.h"
#include "launcher/source/yaml.h"

namespace slipway::conversion {
namespace {

nlohmann::ordered_json json_of(const source::Node& node) {
  if (node.is_mapping()) {
    auto object = nlohmann::ordered_json::object();
    for (const source::Entry& entry : node.entries) object[entry.key] = json_of(entry.value);
    return object;
  }
  if (node.is_sequence()) {
    auto list = nlohmann::ordered_json::array();
    for (const source::Node& item : node.items) list.push_back(json_of(item));
    return list;
  }
  const source::Scalar value = source::resolve(node);
  if (const auto* number = std::get_if<long double>(&value)) return static_cast<int64_t>(*number);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth;
  return node.text;
}

}  // namespace

std::string vertex_json(const std::string& yaml) {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  const auto root = source::read_yaml(sources.add("job", yaml), sources, diagnostics);
  if (!root || diagnostics.errors() > 0) throw Error("the custom job is not readable YAML");
  return json_of(*root).dump(2) + "\n";
}

}  // namespace slipway::conversion
