// Where a place is, in a text that may not be YAML.
#include "launcher/editor/outline.h"

#include "launcher/editor/names.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::editor;

namespace {

using Keys = std::vector<std::string>;

// The place of the `@` in the text.
Outline::Place place_in(std::string text) {
  const size_t at = text.find('@');
  text.erase(at, 1);
  const Document document(text, Encoding::utf8);
  const Position position = document.position(at);
  return Outline(document).place(position.line, position.character);
}

}  // namespace

TEST_CASE("outline: knows the keys around a place") {
  CHECK(place_in("a:\n  b:\n    @\n").keys == Keys{"a", "b"});
  CHECK(place_in("a:\n  b:\n  @\n").keys == Keys{"a"});
  CHECK(place_in("a:\n- b:\n  - c: 1\n    @d: 2\n").keys == Keys{"a", "b"});
  CHECK(place_in("a:\n  - b: 1\n    c:\n      - @\n").keys == Keys{"a", "c"});
  CHECK(place_in("a:\n  b: @\n").keys == Keys{"a", "b"});
  CHECK(place_in("a:\n  b: @\n").in_value);
  CHECK(place_in("a: [\n@\n").keys.empty());
}

TEST_CASE("outline: the text of a block scalar has no keys") {
  CHECK(place_in("a:\n  b: |\n    c: 1\n  d:\n    @\n").keys == Keys{"a", "d"});
}

TEST_CASE("outline: finds modules and variables at any indentation") {
  const Document document(
      "vars:\n    x: 1\n    y:\n      z: 2\ndeployment_groups:\n  - group: g\n    modules:\n"
      "      - id: a\n        source: s\n        settings:\n          list:\n          - id: no\n"
      "      - id: b\nlast: 1\n",
      Encoding::utf8);
  const Outline outline(document);
  REQUIRE(outline.modules().size() == 2);
  CHECK(outline.value_of(outline.modules()[0], "source") == "s");
  CHECK(outline.value_of(outline.modules()[1], "id") == "b");
  REQUIRE(outline.variables().size() == 2);
  CHECK(outline.variables()[1]->key == "y");
}

TEST_CASE("names: finds every mention, also in expressions and quotes") {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  const std::string text =
      "vars: {x: 1}\ndeployment_groups:\n- group: g\n  modules:\n  - id: 'a'\n  - id: b\n"
      "    use: [a]\n    settings:\n      s: \"\\t$(a.o) ${x} $(vars.x + vars.x)\"\n      t: "
      "((a.o[vars.x]))\n";
  const auto root = source::read_yaml(sources.add("x", text), sources, diagnostics);
  size_t module = 0, variable = 0;
  for (const Occurrence& one : find_names(*root, sources)) {
    CHECK(sources.text(one.span) == one.name);
    if (one.kind == NameKind::module && one.name == "a") ++module;
    if (one.kind == NameKind::variable) ++variable;
  }
  CHECK(module == 4);
  CHECK(variable == 4);
}
