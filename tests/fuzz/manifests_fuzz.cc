// Fuzz target: manifests of Kubernetes objects. Any text gives objects and diagnostics, and every
// place is within the file. The first byte chooses between a file and text of a blueprint.
#include <cstdint>
#include <string>

#include "launcher/kubernetes/manifest_text.h"
#include "launcher/kubernetes/object_check.h"
#include "launcher/kubernetes/object_references.h"
#include "launcher/kubernetes/object_rules.h"
#include "launcher/kubernetes/table.h"
#include "launcher/kubernetes/template_mask.h"
#include "launcher/kubernetes/template_variables.h"
#include "launcher/kubernetes/tpu_pods.h"
#include "tests/fuzz/check.h"

namespace {

using namespace slipway::kubernetes;
using namespace slipway::source;
using slipway::fuzz::require;

constexpr const char* catalogue = SLIPWAY_BLUEPRINTS "/catalogue";

const Table& shipped_table() {
  static Sources sources;
  static Diagnostics diagnostics(sources);
  static const Table table = load_table(catalogue, sources, diagnostics);
  require(diagnostics.errors() == 0, "kubernetes.yaml has no mistakes");
  return table;
}

const slipway::cluster::TpuTable& shipped_tpus() {
  static Sources sources;
  static Diagnostics diagnostics(sources);
  static const slipway::cluster::TpuTable table =
      slipway::cluster::load_tpus(catalogue, sources, diagnostics);
  require(diagnostics.errors() == 0, "tpu.yaml has no mistakes");
  return table;
}

std::vector<Object> objects_of(const ManifestText& manifest, Sources& sources,
                               Diagnostics& diagnostics) {
  std::vector<Object> objects;
  for (Document& document : read_documents(manifest, sources, diagnostics)) {
    const Node* metadata = document.root.find("metadata");
    objects.push_back({text_at(document.root, "apiVersion"),
                       text_at(document.root, "kind"),
                       metadata == nullptr ? "" : text_at(*metadata, "name"),
                       "default",
                       {},
                       document.open});
    objects.back().root = std::move(document.root);
  }
  return objects;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  static const Schemas schemas(catalogue);
  const std::string text(data + 1, data + size);
  const bool in_blueprint = data[0] % 2 == 1;
  require(mask_templates(text, in_blueprint).text.size() == text.size(),
          "a masked template is as long as the template");
  Sources sources;
  Diagnostics diagnostics(sources);
  const Span file = sources.add("fuzz.yaml", text);
  // A byte order mark is dropped.
  const ManifestText manifest{std::string(sources.text(file)), {}, file, in_blueprint};
  check_variables(manifest, {"x"}, "template_vars", diagnostics);
  const std::vector<Object> objects = objects_of(manifest, sources, diagnostics);
  for (const Object& object : objects) {
    check_object(object, schemas, diagnostics);
    check_rules(object, diagnostics);
    check_tpu_pods(object, shipped_tpus(), diagnostics);
  }
  check_references(objects, shipped_table().references, diagnostics);
  for (const Diagnostic& found : diagnostics.sorted()) {
    require(file.begin <= found.span.begin && found.span.end <= file.end,
            "a diagnostic's place is within the file: " + found.message);
  }
  render(diagnostics, Color::always);
  return 0;
}
