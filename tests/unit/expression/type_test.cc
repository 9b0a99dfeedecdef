#include "launcher/expression/type.h"

#include "launcher/expression/evaluate.h"
#include "tests/unit/catch.h"

using namespace slipway::expression;

namespace {

// The converted value, or where and why it does not fit.
std::string converted(std::string_view value, std::string_view type) {
  std::vector<Mismatch> mismatches;
  const Value out = convert(evaluate(*parse(value), EmptyScope()), parse_type(type), mismatches);
  if (mismatches.empty()) return to_hcl(*to_expression(out));
  std::string text;
  for (const Mismatch& mismatch : mismatches)
    text += mismatch.path + ": " + mismatch.message + "\n";
  return text;
}

std::string type_error(std::string_view text) {
  try {
    parse_type(text);
  } catch (const ExpressionError& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("types: scalars convert as in Terraform") {
  CHECK(converted("\"5\"", "number") == "5");
  CHECK(converted("5", "string") == "\"5\"");
  CHECK(converted("\"true\"", "bool") == "true");
  CHECK(converted("null", "number") == "null");
  CHECK(converted("\"five\"", "number") == ": `five` is not a number\n");
  CHECK(converted("1", "bool") == ": `1` is not a boolean\n");
  CHECK(converted("[]", "string") == ": a list is not a string\n");
}

TEST_CASE("types: mismatches are found at any depth") {
  CHECK(converted("[{a = [1, \"x\"]}]", "list(object({a = list(number)}))") ==
        "[0].a[1]: `x` is not a number\n");
  CHECK(converted("{a = {}}", "map(string)") == ".a: an object is not a string\n");
}

TEST_CASE("types: an object gains optional attributes and loses unknown ones") {
  CHECK(converted("{a = \"1\", z = 1}",
                  "object({a = number, b = optional(string, \"x\"), c = optional(bool)})") ==
        "{ a = 1, b = \"x\", c = null }");
  CHECK(converted("{}", "object({a = number})") == ": the attribute `a` is missing\n");
  CHECK(converted("{b = 1}", "object({a = number, b = number, c = bool, d = optional(string)})") ==
        ": the attributes `a`, `c` are missing\n");
}

TEST_CASE("types: sets, tuples and any") {
  CHECK(converted("[\"b\", 1, \"b\"]", "set(string)") == "toset([\"1\", \"b\"])");
  CHECK(converted("[1, \"a\"]", "list(any)") == "[\"1\", \"a\"]");
  CHECK(converted("{a = 1, b = [2]}", "map(any)") == ": the members have no common type\n");
  CHECK(converted("[1, \"a\"]", "tuple([string, string])") == "[\"1\", \"a\"]");
  CHECK(converted("[1]", "tuple([string, string])") == ": a list is not a tuple([…])\n");
  CHECK(converted("{a = [1]}", "any") == "{ a = [1] }");
}

TEST_CASE("types: unknown types are rejected") {
  CHECK(type_error("strin") == "`strin` is not a type");
  CHECK(type_error("list(strin)") == "`strin` is not a type");
  CHECK(type_error("object([])") == "`object([])` is not a type");
  CHECK(type_error("map(string, string)") == "`map(string, string)` is not a type");
}
