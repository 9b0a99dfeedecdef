// Tests precedence, order and origins of settings with small test modules.
#include "launcher/blueprint/compile.h"

#include <fmt/core.h>

#include "common/file.h"
#include "launcher/blueprint/evaluation.h"
#include "launcher/blueprint/reader.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using blueprint::Origin;

namespace {

constexpr const char* maker =
    "about: Makes things.\n"
    "inputs:\n"
    "  deployment_name: {type: string}\n"
    "  size: {type: number, default: 1}\n"
    "outputs:\n"
    "  thing: {value: {size: $(input.size), link: $(some_resource.it.link)}}\n"
    "  things: {value: [$(input.size)]}\n";
constexpr const char* taker =
    "about: Takes things.\n"
    "id_input: name\n"
    "inputs:\n"
    "  name: {type: string}\n"
    "  thing: {type: any, default: null}\n"
    "  things: {type: list(number), default: []}\n"
    "  size: {type: number, default: 0}\n";

struct Compiled {
  explicit Compiled(const std::string& modules, const std::string& vars = "") {
    for (const auto& [name, text] : {std::pair{"maker", maker}, std::pair{"taker", taker}}) {
      make_directories(folder / "modules" / name);
      write_file(folder / "modules" / name / "module.yaml", text);
    }
    blueprint::Texts texts;
    texts.blueprint =
        sources.add("x.yaml", "blueprint_name: x\nvars: {deployment_name: d" + vars +
                                  "}\ndeployment_groups:\n- group: g\n  modules:\n" + modules);
    blueprint::Options options;
    options.validation_level = blueprint::Level::ignore;
    compiled = blueprint::compile(texts, options, library, sources, diagnostics);
  }
  const blueprint::Module& module(const std::string& id) const {
    REQUIRE(compiled != nullptr);
    return *compiled->deployment.find(id).module;
  }
  std::string setting(const std::string& id, const std::string& name) const {
    return to_hcl(*module(id).settings.at(name).value);
  }
  std::string value(const std::string& id, const std::string& name) {
    blueprint::Evaluation& evaluation = compiled->evaluation;
    return to_hcl(*expression::to_expression(evaluation.input(module(id), name)));
  }

  TemporaryDirectory folder;
  source::Sources sources;
  source::Diagnostics diagnostics{sources};
  modules::Library library{folder.path(), sources};
  std::unique_ptr<blueprint::Compiled> compiled;
};

constexpr const char* two_makers =
    "  - {id: m1, source: modules/maker}\n"
    "  - {id: m2, source: modules/maker, settings: {size: 2}}\n";

}  // namespace

TEST_CASE("wiring: a list collects outputs of all used modules, the last module first") {
  Compiled made(std::string(two_makers) + "  - {id: t, source: modules/taker, use: [m1, m2]}\n");
  REQUIRE(render(made.diagnostics).empty());
  CHECK(made.setting("t", "things") == "flatten([module.m2.things, module.m1.things])");
  CHECK(made.value("t", "things") == "[2, 1]");
  CHECK(made.module("t").settings.at("things").from == std::vector<std::string>{"m2", "m1"});
}

TEST_CASE("wiring: other settings take the output of the first used module") {
  Compiled made(std::string(two_makers) + "  - {id: t, source: modules/taker, use: [m2, m1]}\n");
  CHECK(made.setting("t", "thing") == "module.m2.thing");
  CHECK(made.value("t", "thing") == "{ link = module.m2.thing.link, size = 2 }");
  CHECK(made.module("t").settings.at("thing").origin == Origin::used);
}

TEST_CASE("wiring: precedence is settings, used outputs, variables, defaults") {
  Compiled made(std::string(two_makers) +
                    "  - {id: t, source: modules/taker, use: [m1], settings: {things: [9]}}\n"
                    "  - {id: u, source: modules/taker, use: [m1]}\n"
                    "  - {id: v, source: modules/taker, settings: {name: own}}\n",
                ", thing: from variable, size: 7");
  CHECK(made.value("t", "things") == "[9]");
  CHECK(made.setting("u", "thing") == "module.m1.thing");
  CHECK(made.setting("v", "thing") == "var.thing");
  CHECK(made.module("v").settings.at("thing").origin == Origin::variable);
  CHECK(made.value("v", "size") == "7");
  CHECK(made.value("v", "things") == "[]");
  CHECK(made.setting("u", "name") == "\"u\"");
  CHECK(made.module("u").settings.at("name").origin == Origin::module_id);
  CHECK(made.module("v").settings.at("name").origin == Origin::blueprint);
}

TEST_CASE("evaluation: outputs of modules that depend on each other are unknown") {
  Compiled made(
      "  - {id: a, source: modules/maker, settings: {size: '$(b.things[0])'}}\n"
      "  - {id: b, source: modules/maker, settings: {size: '$(a.things[0])'}}\n");
  CHECK(made.value("a", "size").find("module.") != std::string::npos);
}

TEST_CASE("compiler: a module file that is not YAML is one error, not many") {
  Compiled made(two_makers);
  write_file(made.folder / "modules/taker/module.yaml", "a: [\n");
  blueprint::Texts texts;
  texts.blueprint = made.sources.add(
      "y.yaml",
      "blueprint_name: y\nvars: {deployment_name: d}\ndeployment_groups:\n- group: g\n  modules:\n"
      "  - {id: t, source: modules/taker, settings: {anything: 1}}\n");
  blueprint::compile(texts, {}, made.library, made.sources, made.diagnostics);
  CHECK(made.diagnostics.errors() == 1);
}

TEST_CASE("variables: the length of a chain is limited, wherever the search begins") {
  const auto errors = [](int length, int step) {
    std::string vars;
    for (int i = 0; i < length; ++i) {
      vars += fmt::format(", v{}: $(vars.v{} + 1)", 500000 + step * i, 500000 + step * (i + 1));
    }
    Compiled made("  - {id: a, source: modules/maker}\n",
                  vars + fmt::format(", v{}: 1", 500000 + step * length));
    std::string messages;
    for (const auto& diagnostic : made.diagnostics.sorted()) {
      if (diagnostic.severity == source::Severity::error) messages += diagnostic.message + "\n";
    }
    return messages;
  };
  CHECK(errors(199, 1).empty());
  CHECK(errors(199, -1).empty());
  const std::string too_long =
      "a chain of more than 200 variables that depend on each other includes `";
  CHECK(errors(20000, 1) == too_long + "v500200`\n");
  CHECK(errors(20000, -1) == too_long + "v480200`\n");
}

TEST_CASE("compiler: an assignment without a name or a value is E0220") {
  source::Sources sources;
  source::Diagnostics diagnostics{sources};
  blueprint::Deployment deployment;
  blueprint::read_assignment(sources.add("--vars", "zone"), sources, diagnostics, deployment);
  CHECK(
      render(diagnostics) ==
      "error[E0220]: expected NAME=VALUE, not `zone`\n --> --vars:1:1\n  |\n1 | zone\n  | ^^^^\n");
}
