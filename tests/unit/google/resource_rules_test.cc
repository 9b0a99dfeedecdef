// The rules of the catalogue about values of resources.
#include "launcher/google/resource_rules.h"

#include <cstdlib>

#include "tests/unit/catch.h"

using namespace slipway::google;

TEST_CASE("resource rules: every pattern of the catalogue is a regular expression") {
  const char* blueprints = std::getenv("SLIPWAY_BLUEPRINTS");
  REQUIRE(blueprints != nullptr);
  const auto rules = load_resource_rules(blueprints);
  REQUIRE(rules->rules.size() > 50);
  for (const ValueRule& rule : rules->rules) {
    INFO(rule.is);
    for (const Pattern* pattern : {&rule.pattern, &rule.keys, &rule.never}) {
      if (*pattern) CHECK_NOTHROW(pattern->is_in("a"));
    }
  }
}

TEST_CASE("resource rules: a pattern takes all of a text, or a part of it") {
  const Pattern pattern("b+");
  CHECK(pattern.fits_all_of("bb"));
  CHECK_FALSE(pattern.fits_all_of("abb"));
  CHECK(pattern.is_in("abb"));
  CHECK_FALSE(static_cast<bool>(Pattern()));
}

TEST_CASE("resource rules: a pattern that is not a regular expression says so when it is used") {
  const Pattern pattern("(");
  CHECK_THROWS_WITH(pattern.fits_all_of("a"),
                    "the catalogue has `(`, which is not a regular expression: missing ): (");
}
