// Tests values in Terraform's JSON syntax.
#include "launcher/google/terraform_value.h"

#include <nlohmann/json.hpp>

#include "launcher/expression/evaluate.h"
#include "tests/unit/catch.h"

using namespace slipway;
using expression::Value;
using google::Nulls;

namespace {

// A scope in which all names are unknown, as a resource's attributes are before deployment.
class Names : public expression::Scope {
 public:
  Found find(const expression::Traversal& traversal, source::Span span) const override {
    return {expression::Unknown{expression::make(span, traversal), {}}, traversal.steps.size()};
  }
};

std::string json(std::string_view expression, Nulls nulls = Nulls::kept) {
  const Value value = expression::evaluate(*expression::parse(expression), Names());
  return google::to_terraform(value, nulls).dump();
}

}  // namespace

TEST_CASE("terraform value: known values become JSON") {
  CHECK(json(R"({b = [1, 2.5, -9007199254740993], a = "x", c = true})") ==
        R"({"a":"x","b":[1,2.5,-9007199254740993],"c":true})");
  CHECK(json("{b = null, a = [null]}") == R"({"a":[null],"b":null})");
  CHECK(json("{b = null, a = [null, {c = null}]}", Nulls::left_out) == R"({"a":[null,{}]})");
}

TEST_CASE("terraform value: strings are escaped") {
  CHECK(json(R"("$${HOME} %%{if} $$$${x} 5% $ %")") == R"("$${HOME} %%{if} $$$${x} 5% $ %")");
  CHECK(json(R"({"$${a}" = 1})") == R"({"$${a}":1})");
}

TEST_CASE("terraform value: unknown values become an expression or a template") {
  CHECK(json("google_x.y.id") == R"("${google_x.y.id}")");
  CHECK(json(R"("a-${google_x.y.id}/${1 + 1}")") == R"("a-${google_x.y.id}/2")");
  CHECK(json(R"([for n in google_x.y.list : "${n}!"])") ==
        R"("${[for n in google_x.y.list : \"${n}!\"]}")");
  CHECK(json(R"("$${a} \"${google_x.y.id}\"\n")") == R"("$${a} \"${google_x.y.id}\"\n")");
}

TEST_CASE("terraform value: a template that JSON cannot contain directly is quoted") {
  // Written directly, it would be read as an escape.
  CHECK(json(R"("\u0024${google_x.y.id}")") == R"("${\"\\u0024${google_x.y.id}\"}")");
  CHECK(json(R"("%{ if google_x.y.ok }a%{ endif }")") ==
        R"("${\"%{ if google_x.y.ok }a%{ endif }\"}")");
}

TEST_CASE("terraform value: sensitivity is marked at the leaves") {
  CHECK(json(R"(sensitive({a = ["x", google_x.y.id]}))") ==
        R"({"a":["${sensitive(\"x\")}","${sensitive(google_x.y.id)}"]})");
}
