// Converts a YAML file to JSON with the blueprint reader, for tests in Python, whose YAML reader differs.
//
//   yaml_to_json FILE
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "common/command_line.h"
#include "common/error.h"
#include "common/file.h"
#include "launcher/source/yaml.h"

using namespace slipway;
using Json = nlohmann::ordered_json;

namespace {

Json tree(const source::Node& node) {
  if (node.is_sequence()) {
    Json list = Json::array();
    for (const source::Node& item : node.items) list.push_back(tree(item));
    return list;
  }
  if (node.is_mapping()) {
    Json mapping = Json::object();
    for (const source::Entry& entry : node.entries) mapping[entry.key] = tree(entry.value);
    return mapping;
  }
  const source::Scalar value = source::resolve(node);
  if (const auto* boolean = std::get_if<bool>(&value)) return *boolean;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<long double>(&value)) {
    if (std::nearbyint(*number) == *number) return static_cast<int64_t>(*number);
    return static_cast<double>(*number);
  }
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  return run_main("yaml_to_json", [&] {
    if (argc != 2) throw UsageError("one file");
    source::Sources sources;
    source::Diagnostics diagnostics(sources);
    const auto root = read_yaml(sources.add(argv[1], read_file(argv[1])), sources, diagnostics);
    if (!root || diagnostics.errors() > 0) throw Error(render(diagnostics));
    std::puts(tree(*root).dump().c_str());
    return 0;
  });
}
