// Fuzz target: the YAML reader. Any bytes give a tree or an error, and every position in the tree
// and in the diagnostics is within the file.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "launcher/source/json.h"
#include "launcher/source/yaml.h"
#include "tests/fuzz/check.h"

namespace {

using namespace slipway::source;
using slipway::fuzz::require;

class Walk {
 public:
  Walk(Span file, const Sources& sources) : file_(file), sources_(sources) {}

  void node(const Node& node) {
    inside(node.span, node.text);
    if (node.is_scalar()) {
      resolve(node);
      const auto offsets = text_offsets(node, sources_);
      require(offsets.size() == node.text.size() + 1, "an offset for each byte of " + node.text);
      for (const uint32_t offset : offsets) inside({offset, offset}, node.text);
    }
    for (const Node& item : node.items) this->node(item);
    for (const Entry& entry : node.entries) {
      inside(entry.key_span, entry.key);
      require(node.find_entry(entry.key) == &entry, "a key appears once: " + entry.key);
      this->node(entry.value);
    }
  }

  void inside(Span span, const std::string& what) const {
    require(file_.begin <= span.begin && span.begin <= span.end && span.end <= file_.end,
            "a value's position must be within the file: " + what);
  }

 private:
  Span file_;
  const Sources& sources_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const Span file = sources.add("fuzz.yaml", std::string(data, data + size));
  const auto root = read_yaml(file, sources, diagnostics);
  require(root || diagnostics.errors() > 0, "without a tree there is an error");
  Walk walk(file, sources);
  if (root) walk.node(*root);
  for (const Diagnostic& diagnostic : diagnostics.sorted()) {
    if (diagnostic.span) walk.inside(diagnostic.span, diagnostic.message);
    if (diagnostic.other_span) walk.inside(diagnostic.other_span, diagnostic.message);
  }
  render(diagnostics, Color::always);
  to_json(diagnostics).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return 0;
}
