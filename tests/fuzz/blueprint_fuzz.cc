// Fuzz target: the whole compiler. A blueprint that compiles is expanded; the expanded one compiles
// again, expands to itself, and becomes the same on Google Cloud.
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "launcher/blueprint/compile.h"
#include "launcher/blueprint/expand.h"
#include "launcher/cluster/build.h"
#include "launcher/google/definitions.h"
#include "launcher/source/json.h"
#include "tests/fuzz/check.h"

namespace {

using namespace slipway;
using fuzz::require;

cluster::Catalogue shipped_catalogue(source::Sources& sources) {
  source::Diagnostics diagnostics(sources);
  return cluster::load_catalogue(SLIPWAY_BLUEPRINTS "/catalogue", sources, diagnostics);
}

cluster::Zones shipped_zones(source::Sources& sources) {
  source::Diagnostics diagnostics(sources);
  return cluster::load_zones(SLIPWAY_BLUEPRINTS "/catalogue", sources, diagnostics);
}

// Module files are read once for many inputs, and dropped from time to time, because texts add up.
struct World {
  source::Sources sources;
  modules::Library library{SLIPWAY_BLUEPRINTS, sources, modules::ModuleCache{}};
  cluster::Catalogue catalogue = shipped_catalogue(sources);
  cluster::Zones zones = shipped_zones(sources);
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
  std::string definitions;  // the files, or why there are none
};

google::Definitions define(World& world, blueprint::Evaluation& evaluation,
                           source::Diagnostics& diagnostics) {
  std::optional<cluster::Cluster> cluster;
  if (cluster::has_cluster(evaluation.deployment())) {
    cluster = cluster::build(evaluation, world.catalogue, diagnostics);
    if (!cluster) return {};
  }
  return google::define({evaluation, cluster ? &*cluster : nullptr, &world.catalogue, &world.zones,
                         SLIPWAY_BLUEPRINTS},
                        diagnostics);
}

// What it becomes on Google Cloud: every file, and what would be copied along. Not the messages: an
// expanded blueprint has settings that nobody wrote, in another order.
std::string definitions(World& world, blueprint::Evaluation& evaluation,
                        source::Diagnostics& diagnostics) {
  std::string out;
  google::Definitions definitions;
  try {
    definitions = define(world, evaluation, diagnostics);
  } catch (const Error&) {  // Slurm cannot have such a cluster
    return "none";
  }
  if (diagnostics.errors() > 0) return "none";
  for (const google::File& file : definitions.files) {
    out += "=== " + file.path + "\n" + file.text;
    if (file.path.ends_with(".json")) {
      require(nlohmann::json::accept(file.text), "output must be JSON:\n" + file.text);
    }
  }
  for (const google::Copy& copy : definitions.copies) out += copy.from + " > " + copy.path + "\n";
  return out;
}

Compiled compile(World& world, const std::string& name, std::string text) {
  source::Diagnostics diagnostics(world.sources);
  blueprint::Texts texts;
  texts.blueprint = world.sources.add(name, std::move(text));
  blueprint::Options options;
  options.need_files = false;
  const auto made = blueprint::compile(texts, options, world.library, world.sources, diagnostics);
  require(made != nullptr || diagnostics.errors() > 0, "without a result there is an error");
  Compiled compiled;
  compiled.messages = render(diagnostics);
  source::to_json(diagnostics).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (diagnostics.errors() == 0) {
    compiled.expanded = blueprint::to_yaml(blueprint::expand(made->deployment));
    compiled.definitions = definitions(world, made->evaluation, diagnostics);
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
  require(second.definitions == first.definitions,
          "an expanded blueprint becomes the same definitions:\n" + first.definitions + "\n---\n" +
              second.definitions);
  return 0;
}
