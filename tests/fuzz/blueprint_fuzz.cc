// Fuzz target: the whole compiler. What compiles is expanded, and what is expanded compiles again
// and expands to itself.
#include <cstdint>
#include <memory>
#include <string>

#include "launcher/blueprint/compile.h"
#include "launcher/blueprint/expand.h"
#include "launcher/source/json.h"
#include "tests/fuzz/check.h"

namespace {

using namespace slipway;
using fuzz::require;

// Module files are read once for many inputs; now and then all is dropped, texts add up.
struct World {
  source::Sources sources;
  modules::Library library{SLIPWAY_BLUEPRINTS, sources, modules::ModuleCache{}};
  int uses = 0;
};

World& world() {
  static std::unique_ptr<World> current;
  if (!current || ++current->uses > 1000) current = std::make_unique<World>();
  return *current;
}

struct Compiled {
  std::string expanded;  // empty: there are errors
  std::string messages;
};

Compiled compile(World& world, const std::string& name, std::string text) {
  source::Diagnostics diagnostics(world.sources);
  blueprint::Texts texts;
  texts.blueprint = world.sources.add(name, std::move(text));
  blueprint::Options options;
  options.need_files = false;
  const auto deployment =
      blueprint::compile(texts, options, world.library, world.sources, diagnostics);
  require(deployment.has_value() || diagnostics.errors() > 0, "without a result there is an error");
  Compiled compiled;
  compiled.messages = render(diagnostics);
  source::to_json(diagnostics).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (diagnostics.errors() == 0) {
    compiled.expanded = blueprint::to_yaml(blueprint::expand(*deployment));
  }
  return compiled;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  World& shared = world();
  const Compiled first = compile(shared, "fuzz.yaml", std::string(data, data + size));
  if (first.expanded.empty()) return 0;
  const Compiled second = compile(shared, "expanded.yaml", first.expanded);
  require(second.expanded == first.expanded, "an expanded blueprint expands to itself:\n" +
                                                 first.expanded + "\n---\n" + second.expanded +
                                                 second.messages);
  return 0;
}
