#include "launcher/modules/prepared_modules.h"

#include <cstdlib>

#include "common/file.h"
#include "launcher/modules/library.h"
#include "launcher/source/yaml.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using modules::Bodies;
using modules::Interface;
using modules::PreparedModules;

namespace {

// Reads modules from their YAML files.
struct FromYaml {
  explicit FromYaml(const std::filesystem::path& library) : folder(library) {}

  PreparedModules::Read read(const std::string& path) {
    const source::Span file = sources.add_file(folder / path / "module.yaml");
    const auto root = source::read_yaml(file, sources, diagnostics);
    REQUIRE(root);
    const auto [at, added] = interfaces.emplace(
        path, modules::read_module_file(path, *root, Bodies::read, sources, diagnostics));
    return {file, at->second};
  }

  // Each module as bytes, which are equal for equal interfaces.
  std::string prepare(const std::vector<std::string>& paths) {
    std::map<std::string, PreparedModules::Read> all;
    for (const std::string& path : paths) all.emplace(path, read(path));
    return PreparedModules::prepare(all, sources);
  }

  std::filesystem::path folder;
  source::Sources sources;
  source::Diagnostics diagnostics{sources};
  std::map<std::string, Interface> interfaces;
};

// A library with one module, and its prepared file.
struct Prepared {
  Prepared() {
    make_directories(library / "modules/a");
    write(
        "about: A thing.\ninputs:\n  size: {type: number, default: 0.1, help: How big.}\n"
        "resources:\n  google_a_b.this: {size: $(input.size + 1)}\n");
    write_file(file(), FromYaml(library.path()).prepare({"modules/a"}));
  }
  std::filesystem::path file() const { return library / PreparedModules::file_name; }
  void write(const std::string& text) const { write_file(library / "modules/a/module.yaml", text); }
  std::optional<Interface> find(Bodies bodies = Bodies::read) const {
    source::Sources sources;
    sources.add("before.yaml", "other text");
    const source::Span text = sources.add_file(library / "modules/a/module.yaml");
    auto found = PreparedModules(library.path()).find("modules/a", text, sources, bodies);
    if (found) CHECK(sources.text(found->inputs.at(0).span) == "size");
    return found;
  }
  // The module, prepared or from YAML.
  std::string about() const {
    source::Sources sources;
    source::Diagnostics diagnostics(sources);
    modules::Library all(library.path(), sources, {});
    const Interface* found = all.find("modules/a", diagnostics);
    CHECK(render(diagnostics).empty());
    return found == nullptr ? "" : found->about;
  }
  TemporaryDirectory library;
};

}  // namespace

TEST_CASE("prepared modules: every module of Slipway equals its file") {
  const char* blueprints = std::getenv("SLIPWAY_BLUEPRINTS");
  REQUIRE(blueprints != nullptr);
  FromYaml yaml(blueprints);
  source::Sources none;
  const std::vector<std::string> paths = modules::Library(blueprints, none, {}).paths();
  REQUIRE(paths.size() > 70);
  const TemporaryDirectory folder;
  const std::string whole = yaml.prepare(paths);
  write_file(folder / PreparedModules::file_name, whole);
  const PreparedModules prepared(folder.path());

  source::Sources others;
  others.add("before.yaml", "other text");
  std::map<std::string, Interface> found;
  std::map<std::string, PreparedModules::Read> again;
  for (const std::string& path : paths) {
    const source::Span file = others.add_file(yaml.folder / path / "module.yaml");
    auto interface = prepared.find(path, file, others, Bodies::read);
    REQUIRE(interface);
    again.emplace(path, PreparedModules::Read{file, found[path] = std::move(*interface)});
  }
  CHECK(PreparedModules::prepare(again, others) == whole);
}

TEST_CASE("prepared modules: bodies of resources are read on demand") {
  const Prepared prepared;
  const auto whole = prepared.find(Bodies::read);
  const auto without = prepared.find(Bodies::skipped);
  REQUIRE(whole);
  REQUIRE(without);
  CHECK(to_hcl(*whole->resources->at(0).body) == "{\n  size = input.size + 1\n}");
  CHECK(without->resources->at(0).body == nullptr);
  CHECK(without->inputs.at(0).default_value == expression::Value(*expression::parse_number("0.1")));
}

TEST_CASE("prepared modules: if a module file has changed, its YAML is read") {
  const Prepared prepared;
  REQUIRE(prepared.find());
  CHECK(prepared.about() == "A thing.");
  prepared.write("about: Another thing.\n");
  CHECK_FALSE(prepared.find());
  CHECK(prepared.about() == "Another thing.");
}

TEST_CASE("prepared modules: a broken file, or one from another version, is ignored") {
  const Prepared prepared;
  const std::string whole = read_file(prepared.file());
  for (size_t kept = 0; kept < whole.size(); kept += 7) {
    write_file(prepared.file(), whole.substr(0, kept));
    CHECK_FALSE(prepared.find());
    CHECK(prepared.about() == "A thing.");
  }
  std::string other = whole;
  other[other.find("slipway modules ") + 16] = 'x';
  write_file(prepared.file(), other);
  CHECK_FALSE(prepared.find());
  std::filesystem::remove(prepared.file());
  CHECK_FALSE(prepared.find());
  CHECK(prepared.about() == "A thing.");
}
