#include "launcher/expression/evaluate.h"

#include "launcher/expression/functions.h"
#include "tests/unit/catch.h"

using namespace slipway::expression;

namespace {

// known.* are values, everything else is known after deployment.
class TestScope : public Scope {
 public:
  Found find(const Traversal& traversal, Span span) const override {
    if (traversal.root == "list") return {Value::List{Value("a"), Value("b")}, 0};
    if (traversal.root == "object") return {Value::Object{{"x", 1}, {"y", Value()}}, 0};
    if (traversal.root == "module") {
      return {Unknown{make(span, traversal), traversal.steps[0].name}, traversal.steps.size()};
    }
    return {Unknown{make(span, traversal), {}}, traversal.steps.size()};
  }
};

// A value as HCL, or what is wrong.
std::string value(std::string_view text) {
  try {
    return to_hcl(*to_expression(evaluate(*parse(text), TestScope())));
  } catch (const ExpressionError& error) {
    return std::string("error: ") + error.what() + (error.help.empty() ? "" : "; " + error.help);
  }
}

}  // namespace

TEST_CASE("evaluation: arithmetic, comparison and logic") {
  CHECK(value("1 + 2 * 3 - 8 / 4") == "5");
  CHECK(value("7 % 4") == "3");
  CHECK(value("-(2)") == "-2");
  CHECK(value("0.1 * 3") == "0.3");
  CHECK(value("9007199254740993 + 0") == "9007199254740993");
  CHECK(value("\"2\" + 3") == "5");
  CHECK(value("1 < 2 && !(\"a\" == \"b\")") == "true");
  CHECK(value("1 / 0") == "error: division by zero");
  CHECK(value("1 + \"x\"") == "error: a string stands where a number belongs");
}

TEST_CASE("evaluation: what decides alone does not look at the rest") {
  CHECK(value("false && 1") == "false");
  CHECK(value("true || unknown.x") == "true");
  CHECK(value("true ? 1 : nothing(2)") == "1");
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

TEST_CASE("evaluation: what is unknown stays an expression, and no more than that") {
  CHECK(value("\"${1 + 1}-${net.id}\"") == "\"${2}-${net.id}\"");
  CHECK(value("[1 + 1, net.id]") == "[2, net.id]");
  CHECK(value("net.id + (1 + 1)") == "net.id + 2");
  CHECK(value("upper(net.id)") == "upper(net.id)");
  CHECK(value("length([net.id, 1])") == "2");
  CHECK(value("flatten([[net.id]])") == "flatten([[net.id]])");
  CHECK(value("net.flag ? 1 + 1 : 3") == "net.flag ? 2 : 3");
  CHECK(value("jsonencode({a = 1 + 1})") == "jsonencode({ a = 2 })");
  CHECK(value("[for x in net.list : x]") == "[for x in net.list : x]");
}

TEST_CASE("evaluation: functions") {
  CHECK(value("flatten([1, [2, [3]], []])") == "[1, 2, 3]");
  CHECK(value("merge({a = 1}, {a = 2, b = 3})") == "{ a = 2, b = 3 }");
  CHECK(value("concat([1], [2])") == "[1, 2]");
  CHECK(value("coalesce(null, \"\", \"x\")") == "\"x\"");
  CHECK(value("join(\",\", [1, \"a\", true])") == "\"1,a,true\"");
  CHECK(value("format(\"%s-%03d|%-3s|%%|%q\", \"a\", 7, \"b\", \"c\")") ==
        "\"a-007|b  |%|\\\"c\\\"\"");
  CHECK(value("format(\"%s\")") == "error: format(): there are more verbs than arguments");
  CHECK(value("replace(\"a_b_c\", \"_\", \"\")") == "\"abc\"");
  CHECK(value("replace(\"a1b2\", \"/[0-9]/\", \"\")") == "\"ab\"");
  CHECK(value("lower(\"ABC\")") == "\"abc\"");
  CHECK(value("substr(\"abcdef\", 1, 3)") == "\"bcd\"");
  CHECK(value("length(\"ñandú\")") == "5");
  CHECK(value("matches(\"^a+$\", \"aab\")") == "false");
  CHECK(value("max(1, 3, 2)") == "3");
  CHECK(value("lookup({a = 1}, \"b\", 2)") == "2");
  CHECK(value("cidrsubnet(\"10.0.0.0/9\", 15, 1)") == "\"10.0.1.0/24\"");
  CHECK(value("cidrsubnet(\"10.0.0.1/9\", 15, 1)") ==
        "error: cidrsubnet(): `10.0.0.1/9` is not an IPv4 range");
  CHECK(value("is_ipv4_range(\"300.0.0.0/8\")") == "false");
  CHECK(value("abs(-3)") == "3");
  CHECK(value("pow(2, 10)") == "1024");
  CHECK(value("pow(10, 100000)") == "error: pow(): there is no such number");
  CHECK(value("sum([1, 2.5])") == "3.5");
  CHECK(value("sum([])") == "error: sum(): the list is empty");
  CHECK(value("element(list, 3)") == "\"b\"");
  CHECK(value("element(list, -1)") == "error: element(): the index is no number from 0 up");
  CHECK(value("range(3)") == "[0, 1, 2]");
  CHECK(value("range(3, 1)") == "[3, 2]");
  CHECK(value("range(1, 6, 2)") == "[1, 3, 5]");
  CHECK(value("range(1, 6, -1)") == "error: range(): no step leads to the end");
  CHECK(value("range(1025)") == "error: range(): these are more than 1024 numbers");
  CHECK(value("is_set([])") == "false");
  CHECK(value("lower([])") == "error: lower(): argument 1 is a list, not a string");
  CHECK(value("lower()") == "error: lower() does not take 0 arguments");
  CHECK(value("uper(1)") == "error: there is no function `uper`; did you mean `upper`?");
}

TEST_CASE("evaluation: a value knows the module that it comes from, until it is changed") {
  CHECK(value("module_of(module.net.id)") == "\"net\"");
  CHECK(value("module_of(\"${module.net.id}-x\")") == "null");
  CHECK(value("module_of(\"projects/p\")") == "null");
}

TEST_CASE("evaluation: numbers are printed with as many digits as they need") {
  CHECK(number_text(0.1L) == "0.1");
  CHECK(number_text(18446744073709551615.0L) == "18446744073709551615");
  CHECK(number_text(-40) == "-40");
  CHECK(number_text(2.5e30L) == "2.5e+30");
}
