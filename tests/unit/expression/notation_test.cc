#include "launcher/expression/notation.h"

#include "tests/unit/catch.h"
#include "tests/unit/source/support.h"

using namespace slipway::expression;
using slipway::source::Reading;

namespace {

// A YAML value as HCL, or the diagnostics.
std::string read(const std::string& yaml) {
  Reading reading("a: " + yaml + "\n");
  const auto expression = from_yaml(*reading.root->find("a"), NameSyntax::blueprint,
                                    reading.sources, reading.diagnostics);
  return reading.rendered().empty() ? to_hcl(*expression) : reading.rendered();
}

}  // namespace

TEST_CASE("notation: $(…) refers to variables and outputs") {
  CHECK(read("$(vars.zone)") == "var.zone");
  CHECK(read("$(net.subnetworks[0].name)") == "module.net.subnetworks[0].name");
  CHECK(read("$(vars.a)-$(vars.b)/c") == "\"${var.a}-${var.b}/c\"");
  CHECK(read("$(f(vars.a, \")\"))") == "f(var.a, \")\")");
  CHECK(read("{x: [$(vars.a), 1]}") == "{\n  x = [var.a, 1]\n}");
}

TEST_CASE("notation: ((…)) is plain HCL") {
  CHECK(read("((module.net.id))") == "module.net.id");
  CHECK(read("((1 + 2))") == "1 + 2");
  CHECK(read("((1)) x") == "\"((1)) x\"");
}

TEST_CASE("notation: backslashes escape $(…)") {
  CHECK(read("\\$(vars.a)") == "\"$(vars.a)\"");
  CHECK(read("\\\\$(vars.a)") == "\"\\\\${var.a}\"");
  CHECK(read("\\\\\\$(x)") == "\"\\\\$(x)\"");
  CHECK(read("\\((cat /dog))") == "\"((cat /dog))\"");
  CHECK(read("${HOME}") == "\"$${HOME}\"");
}

TEST_CASE("notation: an escaped string is read back literally") {
  for (const std::string text : {"$(x)", "\\$(x)", "\\\\$(x)", "((x))", "plain", "a \\ b"}) {
    Reading reading("a: b\n");
    slipway::source::Node node = *reading.root->find("a");
    node.text = escape(text);
    const auto expression =
        from_yaml(node, NameSyntax::blueprint, reading.sources, reading.diagnostics);
    CHECK(expression->as<Literal>()->value == Value(text));
  }
}

TEST_CASE("notation: an error points at its place in the YAML, whatever the quoting") {
  CHECK(read("\"x\\t$(vars.a +)\"") ==
        "error[E0301]: unexpected `)`\n"
        " --> x.yaml:1:18\n"
        "  |\n"
        "1 | a: \"x\\t$(vars.a +)\"\n"
        "  |                  ^\n");
  CHECK(read("|\n  one\n  two $(vars)") ==
        "error[E0302]: `vars` is not a value by itself\n"
        " --> x.yaml:3:9\n"
        "  |\n"
        "3 |   two $(vars)\n"
        "  |         ^^^^\n"
        "  = help: name the variable: `vars.NAME`\n");
  CHECK(read("|\n  one $(vars.a\n") ==
        "error[E0301]: unexpected end of the expression, expected `)`\n"
        " --> x.yaml:2:15\n"
        "  |\n"
        "2 |   one $(vars.a\n"
        "  |               ^\n");
}
