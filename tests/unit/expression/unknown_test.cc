// Tests the evaluation of partly unknown values.
#include "tests/unit/catch.h"
#include "tests/unit/expression/support.h"

using namespace slipway::expression;

TEST_CASE("unknown values: only the unknown parts stay expressions") {
  CHECK(value("\"${1 + 1}-${net.id}\"") == "\"${2}-${net.id}\"");
  CHECK(value("[1 + 1, net.id]") == "[2, net.id]");
  CHECK(value("net.id + (1 + 1)") == "net.id + 2");
  CHECK(value("upper(net.id)") == "upper(net.id)");
  CHECK(value("length([net.id, 1])") == "2");
  CHECK(value("flatten([[net.id]])") == "flatten([[net.id]])");
  CHECK(value("net.flag ? 1 + 1 : 3") == "net.flag ? 2 : 3");
  CHECK(value("jsonencode({a = 1 + 1, b = net.id})") == "jsonencode({ a = 2, b = net.id })");
  CHECK(value("[for x in net.list : x]") == "[for x in net.list : x]");
}

TEST_CASE("unknown values: functions return what is known about lists and objects of them") {
  CHECK(value("length([net.id, 1])") == "2");
  CHECK(value("length(net.list)") == "length(net.list)");
  CHECK(value("keys({b = net.id, a = 1})") == "[\"a\", \"b\"]");
  CHECK(value("values({b = net.id, a = 1})") == "[1, net.id]");
  CHECK(value("merge({a = net.id}, {b = 1}).b") == "1");
  CHECK(value("concat([net.id], [1])[1]") == "1");
  CHECK(value("flatten([[1, {a = net.id}]])") == "[1, { a = net.id }]");
  CHECK(value("element([net.id, 1], 3)") == "1");
  CHECK(value("lookup({a = net.id}, \"b\", 2)") == "2");
  CHECK(value("slice([net.id, 1, 2], 1, 3)") == "[1, 2]");
  CHECK(value("reverse([net.id, 1])") == "[1, net.id]");
  CHECK(value("zipmap([\"a\", \"b\"], [net.id, 1]).b") == "1");
  CHECK(value("chunklist([net.id, 1, 2], 2)[1]") == "[2]");
  CHECK(value("one([net.id])") == "net.id");
  CHECK(value("coalesce(1, net.id)") == "1");
  CHECK(value("coalesce(net.id, 1)") == "coalesce(net.id, 1)");
  CHECK(value("coalescelist([], [net.id])") == "[net.id]");
  CHECK(value("contains([net.id, \"a\"], \"a\")") == "true");
  CHECK(value("contains([net.id], \"a\")") == "contains([net.id], \"a\")");
  CHECK(value("alltrue([false, net.flag])") == "false");
  CHECK(value("anytrue([false, net.flag])") == "anytrue([false, net.flag])");
  CHECK(value("setproduct([net.id], [1, 2])") == "[[net.id, 1], [net.id, 2]]");
  CHECK(value("tolist([net.id, 1])[1]") == "1");
  CHECK(value("toset([net.id, 1])") == "toset([net.id, 1])");
  CHECK(value("join(\",\", [net.id])") == "join(\",\", [net.id])");
  CHECK(value("can(net.id)") == "can(net.id)");
  CHECK(value("try([][0], net.id, 1 + 1)") == "try(net.id, 2)");
  CHECK(value("max(net.list...)") == "max(net.list...)");
}

TEST_CASE("unknown values: comparisons are decided by the known parts") {
  CHECK(value("[net.id, 1] == [net.id, 2]") == "false");
  CHECK(value("[net.id] == [1]") == "[net.id] == [1]");
  CHECK(value("net.id == null") == "net.id == null");
}

TEST_CASE("unknown values: known operands and arguments are still checked") {
  CHECK(value("net.id + []") == "error: expected a number, not a list");
  CHECK(value("join([], net.list)") == "error: join(): argument 1 is a list, not a string");
}

TEST_CASE("unknown values: an error in a branch that may not be chosen is not reported") {
  CHECK(value("net.flag ? [][0] : 1 + 1") == "net.flag ? [][0] : 2");
  CHECK(value("[for x in [3] : net.flag ? [][x] : x]") == "[net.flag ? [][3] : 3]");
}

TEST_CASE("unknown values: names that a for binds are replaced") {
  CHECK(value("[for i in [0, 1] : net.list[i].x]") == "[net.list[0].x, net.list[1].x]");
  CHECK(value("list[net.index]") == "[\"a\", \"b\"][net.index]");
  CHECK(value("[for a in [\"x\"] : [for b in net.list : \"${a}${b}\"]]") ==
        "[[for b in net.list : \"x${b}\"]]");
  CHECK(value("[for x in [5] : {for k, v in net.map : k => v + x if k != x}]") ==
        "[{for k, v in net.map : k => v + 5 if k != 5}]");
  CHECK(value("[for x in net.a : [for y in [x] : [for x in net.b : [x, y]]]]") ==
        "[for x in net.a : [[for x_2 in net.b : [x_2, x]]]]");
}

TEST_CASE("unknown values: an unknown condition or key leaves the whole for unchanged") {
  CHECK(value("[for x in [1, 2] : x if net.flag]") == "[for x in [1, 2] : x if net.flag]");
  CHECK(value("{for x in [1] : net.id => x}") == "{for x in [1] : net.id => x}");
  CHECK(value("{(net.id) = 1 + 1}") == "{ (net.id) = 2 }");
}

TEST_CASE("unknown values: templates keep their unknown parts") {
  CHECK(value("\"%{ if net.flag }${1 + 1}%{ else }b%{ endif }\"") ==
        "\"%{ if net.flag }${2}%{ else }b%{ endif }\"");
  CHECK(value("\"%{ for x in net.list }${x}-${1 + 1}%{ endfor }\"") ==
        "\"%{ for x in net.list }${x}-${2}%{ endfor }\"");
  CHECK(value("\"%{ for x in [1] }${x}${net.id}%{ endfor }-\"") == "\"${1}${net.id}-\"");
}

TEST_CASE("unknown values: are printed with the necessary parentheses") {
  CHECK(value("(net.a + 1) * 2") == "(net.a + 1) * 2");
  CHECK(value("2 - (net.a - 1)") == "2 - (net.a - 1)");
  CHECK(value("!(net.a && net.b)") == "!(net.a && net.b)");
  CHECK(value("[for x in [net.list[*].id] : x[0]]") == "[(net.list[*].id)[0]]");
  CHECK(value("(net.a ? net.b : net.c).d") == "(net.a ? net.b : net.c).d");
  CHECK(value("(net.a ? true : false) ? 1 : 2") == "(net.a ? true : false) ? 1 : 2");
}

TEST_CASE("rewriting: a template that replaces a reference is merged into the surrounding one") {
  const auto rewritten = [](const char* text, const char* replacement) {
    return to_hcl(*rewrite(parse(text), [&](const Traversal& traversal, Span) {
      return traversal.root == "name" ? parse(replacement) : nullptr;
    }));
  };
  CHECK(rewritten("\"a-${name}-b\"", "\"x-${net.id}\"") == "\"a-x-${net.id}-b\"");
  CHECK(rewritten("\"${name}\"", "\"x-${net.id}\"") == "\"x-${net.id}\"");
  CHECK(rewritten("\"$${a}${name}\"", "\"{${net.id}\"") == "\"$${a}{${net.id}\"");
  CHECK(rewritten("\"a-${name}\"", "net.id") == "\"a-${net.id}\"");
  CHECK(rewritten("\"a-${upper(name)}\"", "\"x-${net.id}\"") == "\"a-${upper(\"x-${net.id}\")}\"");
}
