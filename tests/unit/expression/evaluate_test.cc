// Tests the evaluation of operators, names and steps.
#include "launcher/expression/functions.h"
#include "tests/unit/catch.h"
#include "tests/unit/expression/support.h"

using namespace slipway::expression;

TEST_CASE("evaluation: arithmetic, comparison and logic") {
  CHECK(value("1 + 2 * 3 - 8 / 4") == "5");
  CHECK(value("7 % 4") == "3");
  CHECK(value("-(2)") == "-2");
  CHECK(value("0.1 * 3") == "0.3");
  CHECK(value("9007199254740993 + 0") == "9007199254740993");
  CHECK(value("\"2\" + 3") == "5");
  CHECK(value("1 < 2 && !(\"a\" == \"b\")") == "true");
  CHECK(value("1 / 0") == "error: division by zero");
  CHECK(value("1 + \"x\"") == "error: expected a number, not a string");
}

TEST_CASE("evaluation: operands that cannot change the result are not evaluated") {
  CHECK(value("false && 1") == "false");
  CHECK(value("true || unknown.x") == "true");
  CHECK(value("true ? 1 : [][0]") == "1");
}

TEST_CASE("evaluation: parts of lists and objects") {
  CHECK(value("list[1]") == "\"b\"");
  CHECK(value("list[2]") == "error: there is no element [2] in a list of 2");
  CHECK(value("object.x") == "1");
  CHECK(value("object.xx") == "error: this object has no attribute `xx`; did you mean `x`?");
  CHECK(value("[{a = 1}, {a = 2}][*].a") == "[1, 2]");
  CHECK(value("null[*].a") == "[]");
  CHECK(value("[for i, v in list : \"${i}${v}\" if v != \"a\"]") == "[\"1b\"]");
  CHECK(value("{for k, v in object : k => v == null}") == "{ x = false, y = true }");
}

TEST_CASE("evaluation: an unchanged output knows its module") {
  CHECK(value("module_of(module.net.id)") == "\"net\"");
  CHECK(value("module_of([\"10.0.0.2\", module.net.id])") == "\"net\"");
  CHECK(value("module_of([\"10.0.0.2\", null])") == "null");
  CHECK(value("module_of(\"${module.net.id}-x\")") == "null");
  CHECK(value("module_of(\"projects/p\")") == "null");
}

TEST_CASE("evaluation: an unknown value is not considered null") {
  CHECK(value("is_null(null)") == "true");
  CHECK(value("is_null(\"\")") == "false");
  CHECK(value("is_null(module.net.id)") == "false");
  CHECK(value("is_null([module.net.id][0])") == "false");
}

TEST_CASE("evaluation: the two results of a conditional get a common type") {
  CHECK(value("true ? 1 : \"a\"") == "\"1\"");
  CHECK(value("true ? 1 : [1]") ==
        "error: the two results of `?:` have no common type: a number and a list");
  CHECK(value("true ? 1 : net.id") == "1");
}

TEST_CASE("evaluation: members of sets are sorted and have no index") {
  CHECK(value("toset([\"b\", \"a\", \"b\"])") == "toset([\"a\", \"b\"])");
  CHECK(value("[for x in toset([3, 20, 1]) : x]") == "[1, 3, 20]");
  CHECK(value("toset([1])[0]") ==
        "error: a set has no order, so it has no index; convert it to a list with tolist()");
}

TEST_CASE("evaluation: two results with the same key must be grouped") {
  CHECK(value("{for x in [\"a\", \"a\"] : x => 1}") ==
        "error: two results have the key `a`; put `...` after the result to list all results of a "
        "key");
  CHECK(value("{for i, x in [\"a\", \"a\"] : x => i...}") == "{ a = [0, 1] }");
}

TEST_CASE("evaluation: values marked with sensitive() stay marked") {
  CHECK(value("\"a${sensitive(\"b\")}\"") == "sensitive(\"ab\")");
  CHECK(value("nonsensitive(\"a${sensitive(\"b\")}\")") == "\"ab\"");
  CHECK(value("[sensitive(1), 2]") == "[sensitive(1), 2]");
}

TEST_CASE("evaluation: numbers are printed with as many digits as they need") {
  CHECK(number_text(0.1L) == "0.1");
  CHECK(number_text(18446744073709551615.0L) == "18446744073709551615");
  CHECK(number_text(-40) == "-40");
  CHECK(number_text(2.5e30L) == "2500000000000000000000000000000");
  CHECK(number_text(1e-7L) == "0.0000001");
  CHECK(short_number_text(2.5e30L) == "2.5e+30");
  CHECK(short_number_text(12) == "12");
}
