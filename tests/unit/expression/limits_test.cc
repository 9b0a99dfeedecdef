// Tests that expressions that need too much memory or time end with an error, soon.
#include "tests/unit/catch.h"
#include "tests/unit/expression/support.h"

using namespace slipway::expression;

namespace {

constexpr const char* work = "error: this takes too much work to evaluate";

}  // namespace

TEST_CASE("limits: numbers") {
  CHECK(value("range(1e9)") == "error: range(): the list would have more than 1024 members");
  CHECK(value("pow(10, 1e9)") == "error: pow(): the result is not a finite number");
  CHECK(value("1e4000 * 1e4000") == "error: the result is too large");
}

TEST_CASE("limits: strings") {
  CHECK(value("format(\"%1000000000d\", 1)") ==
        "error: format(): argument 1 has a number above 100000");
  CHECK(value("join(\"\", [for i in range(1024) : format(\"%99999d\", i)])") ==
        "error: format(): this takes too much work to evaluate");
  CHECK(value("replace(join(\"\", range(1000)), \"\", join(\"\", range(1000)))") ==
        "error: replace(): a string of 8357880 bytes is too large");
  CHECK(value("indent(1000000, join(\"\", [for i in range(1024) : \"\\n\"]))") ==
        "error: indent(): a string of 1024001024 bytes is too large");
  CHECK(value("\"%{ for a in range(1024) }%{ for b in range(1024) }%{ for c in range(1024) }"
              "x%{ endfor }%{ endfor }%{ endfor }\"") == work);
}

TEST_CASE("limits: lists") {
  CHECK(value("[for a in range(1024) : [for b in range(1024) : [for c in range(1024) : a]]]") ==
        work);
  CHECK(value("setproduct(range(100), range(100), range(100), range(100))") ==
        "error: setproduct(): the product is too large");
  CHECK(value("[for i in range(1024) : [for k in range(1024) : i]][*][*]") == work);
}

TEST_CASE("limits: deeply nested values") {
  CHECK(value("jsondecode(join(\"\", [for i in range(1024) : \"[\"]))") ==
        "error: jsondecode(): this JSON is nested too deeply");
}

TEST_CASE("limits: unknown values") {
  // Each level shares its parts, so the tree is small, but its text is large.
  class Doubled : public Scope {
   public:
    Found find(const Traversal&, Span) const override { return {value, 0}; }
    Value value;
  };
  Doubled scope;
  scope.value = evaluate(*parse("net.id"), TestScope());
  const auto next = [&] { scope.value = evaluate(*parse("\"${x}-${x}\""), scope); };
  for (int i = 0; i < 14; ++i) next();
  CHECK_THROWS_WITH((next(), next(), next()), "the part that is still unknown is too large");
  ExpressionPtr expression = parse("x");
  for (int i = 0; i < 60; ++i) expression = make({}, Template{{expression, expression}});
  CHECK_THROWS_WITH(evaluate(*expression, scope), "this expression is too large");
}
