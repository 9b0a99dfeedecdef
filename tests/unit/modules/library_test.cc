#include "launcher/modules/library.h"

#include <cstdlib>

#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/modules/one_module.h"

using namespace slipway;

TEST_CASE("module library: reads a module's inputs, outputs and model") {
  OneModule one(
      "about: A thing.\n"
      "inputs:\n"
      "  size: {type: number, default: '4', one_of: [4, 8], help: How big.}\n"
      "  name: {type: string}\n"
      "outputs:\n"
      "  id:\n"
      "  twice: {value: $(input.size * 2)}\n"
      "model: {thing: {size: $(input.size)}}\n");
  CHECK(one.said().empty());
  REQUIRE(one.interface != nullptr);
  CHECK(one.interface->input("size")->default_value == expression::Value(4));
  CHECK(one.interface->input("name")->required);
  CHECK(one.interface->output("id")->value == nullptr);
  CHECK(to_hcl(*one.interface->output("twice")->value) == "input.size * 2");
  CHECK(one.library.find("modules/a/b", one.diagnostics) == one.interface);
}

TEST_CASE("module library: reads values of outputs, removed inputs, and rules that only warn") {
  OneModule one(
      "about: A thing.\n"
      "apis: [compute.googleapis.com]\n"
      "inputs:\n"
      "  sku: {type: string, default: null, gone: use `tier`}\n"
      "outputs:\n"
      "  key: {type: list(string), help: Keys of the thing., sensitive: true}\n"
      "  id:\n"
      "rules:\n"
      "- {that: $(input.sku == null), at: sku, else: rather not, level: warning}\n");
  CHECK(one.said().empty());
  CHECK(one.interface->apis == std::vector<std::string>{"compute.googleapis.com"});
  CHECK(one.interface->input("sku")->gone == "use `tier`");
  CHECK(to_text(one.interface->output("key")->type) == "list(string)");
  CHECK(one.interface->output("key")->help == "Keys of the thing.");
  CHECK(one.interface->output("key")->sensitive);
  CHECK(to_text(one.interface->output("id")->type) == "any");
  CHECK(one.interface->rules.at(0).warning);
}

TEST_CASE("module library: reports mistakes in a module file at their place") {
  OneModule one(
      "abut: x\n"
      "inputs:\n"
      "  size: {type: list(nmber), default: 1}\n"
      "  name: {default: x}\n"
      "  flag: {type: bool, default: maybe}\n"
      "rules:\n"
      "- {that: true, at: siz, else: no}\n"
      "- {that: true}\n"
      "- {that: true, at: size, else: no, level: warn}\n");
  CHECK(one.said() ==
        "error[E0901]: a module file has no key `abut`\n"
        " --> modules/a/b/module.yaml:1:1\n  |\n1 | abut: x\n  | ^^^^\n"
        "  = help: did you mean `about`?\n\n"
        "error[E0901]: `nmber` is not a type\n"
        " --> modules/a/b/module.yaml:3:21\n  |\n"
        "3 |   size: {type: list(nmber), default: 1}\n  |                     ^^^^^\n\n"
        "error[E0901]: the input `name` has no type\n"
        " --> modules/a/b/module.yaml:4:3\n  |\n4 |   name: {default: x}\n  |   ^^^^\n\n"
        "error[E0901]: the default of `flag`: `maybe` is not a boolean\n"
        " --> modules/a/b/module.yaml:5:31\n  |\n"
        "5 |   flag: {type: bool, default: maybe}\n  |                               ^^^^^\n\n"
        "error[E0901]: there is no input `siz`\n"
        " --> modules/a/b/module.yaml:7:20\n  |\n"
        "7 | - {that: true, at: siz, else: no}\n  |                    ^^^\n"
        "  = help: did you mean `size`?\n\n"
        "error[E0901]: a rule needs `that`, `at` and `else`\n"
        " --> modules/a/b/module.yaml:8:3\n  |\n8 | - {that: true}\n  |   ^^^^^^^^^^^^\n\n"
        "error[E0901]: a rule's level must be `error` or `warning`\n"
        " --> modules/a/b/module.yaml:9:43\n  |\n"
        "9 | - {that: true, at: size, else: no, level: warn}\n"
        "  |                                           ^^^^\n");
}

TEST_CASE("module library: finds only existing modules") {
  OneModule one("about: x\n");
  CHECK(one.library.find("modules/a/c", one.diagnostics) == nullptr);
  CHECK(one.library.find("modules/../modules/a/b", one.diagnostics) == nullptr);
  CHECK(one.library.find("./modules/a/b", one.diagnostics) == nullptr);
  CHECK(one.library.paths() == std::vector<std::string>{"modules/a/b"});
}

TEST_CASE("module library: all modules of Slipway are read without diagnostics") {
  const char* folder = std::getenv("SLIPWAY_BLUEPRINTS");
  REQUIRE(folder != nullptr);
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  modules::Library library(folder, sources);
  CHECK(library.paths().size() >= 6);
  for (const std::string& path : library.paths()) {
    const modules::Interface* interface = library.find(path, diagnostics);
    REQUIRE(interface != nullptr);
    CHECK_FALSE(interface->about.empty());
    for (const modules::Input& input : interface->inputs) {
      INFO(path + " " + input.name);
      CHECK_FALSE(input.help.empty());
    }
  }
  CHECK(render(diagnostics).empty());
}

TEST_CASE("module library: reading ahead gives the same diagnostics, once") {
  const TemporaryDirectory folder;
  std::vector<std::string> texts = {"modules/none", "../modules/a0", "./modules/a1", "", "$(x)"};
  for (const char c : std::string("0123456789")) {
    const std::string path = std::string("modules/a") + c;
    make_directories(folder / path);
    write_file(folder / path / "module.yaml",
               std::string("about: Module ") + c + ".\nwrong: 1\ninputs: {x: {type: strin}}\n");
    texts.insert(texts.end(), 2, path);
  }
  const auto said = [&](bool ahead) {
    source::Sources sources;
    source::Diagnostics diagnostics(sources);
    modules::Library library(folder.path(), sources, {});
    if (ahead) library.read_ahead(texts, diagnostics);
    for (const char c : std::string("0123456789")) {
      const modules::Interface* found = library.find(std::string("modules/a") + c, diagnostics);
      REQUIRE(found != nullptr);
      CHECK(found->about == std::string("Module ") + c + ".");
    }
    CHECK(diagnostics.errors() == 20);
    return render(diagnostics);
  };
  CHECK(said(true) == said(false));
}

TEST_CASE("module library: skips the bodies of resources, but not in the user's modules") {
  const char* text =
      "about: x\nresources:\n  google_a_b.this: {name: $(input.none), when: false}\n";
  const TemporaryDirectory folder;
  for (const char* path : {"modules/one", "site/own"}) {
    make_directories(folder / path);
    write_file(folder / path / "module.yaml", text);
  }
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  modules::Library library(folder.path(), sources, {});
  library.skip_bodies();
  library.look_from(folder / "site");
  const modules::Interface* one = library.find("modules/one", diagnostics);
  const modules::Interface* own = library.find("./own", diagnostics);
  REQUIRE(one != nullptr);
  REQUIRE(own != nullptr);
  CHECK(one->resources->at(0).body == nullptr);
  CHECK(one->resources->at(0).when != nullptr);
  CHECK(own->resources->at(0).body != nullptr);
}

TEST_CASE("module library: finds folders relative to the blueprint's folder") {
  const TemporaryDirectory folder;
  make_directories(folder / "site/own");
  make_directories(folder / "site/terraform");
  write_file(folder / "site/own/module.yaml", "about: A thing of ours.\n");
  write_file(folder / "site/terraform/main.tf", "variable \"x\" {}\n");
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  modules::Library library(folder.path(), sources, {});
  CHECK(library.find("./own", diagnostics) == nullptr);
  library.look_from(folder / "site");
  const modules::Interface* own = library.find("./own", diagnostics);
  REQUIRE(own != nullptr);
  CHECK(own->about == "A thing of ours.");
  CHECK_FALSE(own->foreign);
  CHECK(own->folder == (folder / "site/own").string());
  const modules::Interface* terraform = library.find("./terraform", diagnostics);
  REQUIRE(terraform != nullptr);
  CHECK(terraform->foreign);
  CHECK(render(diagnostics) ==
        "error[E0207]: there is no folder `./own`\n"
        "  = help: a path is relative to the working directory or to the blueprint's folder\n");
}
