// Expressions that ask for more than a machine has: each ends with an error, and soon.
#include "tests/unit/catch.h"
#include "tests/unit/expression/support.h"

using namespace slipway::expression;

namespace {

constexpr const char* work = "error: this takes more work than an expression may do";

}  // namespace

TEST_CASE("limits: numbers") {
  CHECK(value("range(1e9)") == "error: range(): the list would have more than 1024 members");
  CHECK(value("pow(10, 1e9)") == "error: pow(): there is no such number");
  CHECK(value("1e4000 * 1e4000") == "error: the result is too large a number");
}

TEST_CASE("limits: texts") {
  CHECK(value("format(\"%1000000000d\", 1)") ==
        "error: format(): argument 1 has a number above 100000");
  CHECK(value("join(\"\", [for i in range(1024) : format(\"%99999d\", i)])") ==
        "error: format(): this takes more work than an expression may do");
  CHECK(value("replace(join(\"\", range(1000)), \"\", join(\"\", range(1000)))") ==
        "error: replace(): a text of 8357880 bytes is more than an expression may make");
  CHECK(value("indent(1000000, join(\"\", [for i in range(1024) : \"\\n\"]))") ==
        "error: indent(): a text of 1024001024 bytes is more than an expression may make");
  CHECK(value("\"%{ for a in range(1024) }%{ for b in range(1024) }%{ for c in range(1024) }"
              "x%{ endfor }%{ endfor }%{ endfor }\"") == work);
}

TEST_CASE("limits: lists") {
  CHECK(value("[for a in range(1024) : [for b in range(1024) : [for c in range(1024) : a]]]") ==
        work);
  CHECK(value("setproduct(range(100), range(100), range(100), range(100))") ==
        "error: setproduct(): the product is larger than an expression may make");
  CHECK(value("[for i in range(1024) : [for k in range(1024) : i]][*][*]") == work);
}

TEST_CASE("limits: values that are nested deeply") {
  CHECK(value("jsondecode(join(\"\", [for i in range(1024) : \"[\"]))") ==
        "error: jsondecode(): this JSON is nested too deeply");
}

TEST_CASE("limits: what is left unknown") {
  // Each level shares its parts, so the tree is small and its text is not.
  class Doubled : public Scope {
   public:
    Found find(const Traversal&, Span) const override { return {value, 0}; }
    Value value;
  };
  Doubled scope;
  scope.value = evaluate(*parse("net.id"), TestScope());
  const auto next = [&] { scope.value = evaluate(*parse("\"${x}-${x}\""), scope); };
  for (int i = 0; i < 14; ++i) next();
  CHECK_THROWS_WITH((next(), next(), next()), "what is left unknown is too large");
  ExpressionPtr expression = parse("x");
  for (int i = 0; i < 60; ++i) expression = make({}, Template{{expression, expression}});
  CHECK_THROWS_WITH(evaluate(*expression, scope), "this expression is too large");
}
