// Fuzz target: `slipway modules import`. The input is a variables.tf, then after lines with --- a
// metadata.yaml and a module.yaml. Whatever a checkout contains, a module file in block style takes
// the change, and importing again changes nothing.
#include "launcher/modules/import.h"

#include <stdlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "common/error.h"
#include "tests/fuzz/check.h"

using namespace slipway;
using fuzz::require;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view separator = "\n---\n";

constexpr const char* module_file = R"(about: A network.  # ours
inputs:
  name:
    type: string
  # sizes
  sizes:
    type: list(object({name = string}))
    default: []
    help: Sizes.
rules:
- that: $(length(input.sizes) < 9)
  at: sizes
  else: too many
resources:
  google_compute_network.this: {name: $(input.name)}
outputs:
  link:
    value: $(google_compute_network.this.id)
)";

// Not synced to disk, unlike write_file().
void put(const fs::path& file, std::string_view text) {
  std::ofstream(file, std::ios::binary) << text;
}

std::string take_part(std::string& text) {
  const size_t at = text.find(separator);
  std::string part = text.substr(0, at);
  text = at == text.npos ? "" : text.substr(at + separator.size());
  return part;
}

struct Folders {
  Folders() {
    std::string name = (fs::temp_directory_path() / "import_fuzz.XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    root = name;
    fs::create_directories(root / "library/modules/a/b");
    fs::create_directories(root / "library/catalogue");
    fs::create_directories(root / "toolkit/modules/a/b");
    put(root / "library/catalogue/toolkit.yaml", "version: v1.0.0\n");
  }
  ~Folders() {
    std::error_code ignored;
    fs::remove_all(root, ignored);
  }
  fs::path root;
};

modules::Import plan(const fs::path& root, size_t& errors) {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  const auto checkout = modules::read_checkout(root / "toolkit", sources, diagnostics);
  modules::Import import;
  if (diagnostics.errors() == 0) {
    import = modules::plan_import({checkout, "v1.1.0", root / "library", "v1.0.0"}, sources,
                                  diagnostics);
  }
  errors = diagnostics.errors();
  return import;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Folders folders;
  std::string text(data, data + size);
  put(folders.root / "toolkit/modules/a/b/variables.tf", take_part(text));
  put(folders.root / "toolkit/modules/a/b/metadata.yaml", take_part(text));
  const fs::path file = folders.root / "library/modules/a/b/module.yaml";
  const bool is_ours = text.empty();
  put(file, is_ours ? module_file : text);
  size_t errors = 0;
  try {
    const modules::Import import = plan(folders.root, errors);
    if (errors > 0) return 0;
    for (const auto& [name, changed] : import.files) put(folders.root / "library" / name, changed);
    const modules::Import again = plan(folders.root, errors);
    put(folders.root / "library/catalogue/toolkit.yaml", "version: v1.0.0\n");
    require(errors == 0, "what was written can be read");
    for (const auto& [name, changed] : again.files) {
      require(!name.ends_with("module.yaml"), "importing again changes it:\n" + changed);
    }
  } catch (const Error& error) {
    require(!is_ours, std::string("a file in block style takes the change: ") + error.what());
  }
  return 0;
}
