#include "common/json.h"

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "tests/unit/catch.h"

using namespace slipway;

TEST_CASE("json: invalid or endlessly nested JSON is an error") {
  const std::string text =
      GENERATE("", "{", "[1,]", "nul", "{\"a\": NaN}", "1e999", "\"\xff\"", "{} {}");
  CHECK_THROWS_WITH(parse_json(text), ContainsSubstring("it is not JSON"));
  for (const char* bracket : {"[", "{\"a\":"}) {
    std::string deep;
    for (int i = 0; i < 1'000'000; ++i) deep += bracket;
    CHECK_THROWS_WITH(parse_json(deep), "its values are nested deeper than 64 levels");
  }
  // Brackets in strings do not count.
  CHECK(parse_json("[\"" + std::string(100, '[') + "\\\"[[\"]").size() == 1);
}

TEST_CASE(
    "json: a value of a wrong type is reported with its place, itself, and what is expected") {
  const auto body = parse_json(R"({"a": {"b": [1, "x", {"c": true}]}, "n": null})");
  const JsonValue j(body);
  CHECK(j.at("a").at("b").items().at(2).at("c").boolean());
  CHECK(j.at("n").is_null());
  CHECK_FALSE(j.find("x"));
  CHECK_THROWS_WITH(j.at("x"), "`x` is missing");
  CHECK_THROWS_WITH(j.at("a").at("x"), "`a.x` is missing");
  CHECK_THROWS_WITH(j.at("a").at("b").at("x"), "`a.b` is a list, expected an object");
  CHECK_THROWS_WITH(j.at("n").find("x"), "`n` is null, expected an object");
  CHECK_THROWS_WITH(j.text(), "`.` is an object, expected a text");
  CHECK_THROWS_WITH(j.at("a").items(), "`a` is an object, expected a list");
  CHECK_THROWS_WITH(j.at("a").at("b").texts(), "`a.b[0]` is 1, expected a text");
  CHECK_THROWS_WITH(j.at("a").at("b").items()[1].boolean(),
                    "`a.b[1]` is \"x\", expected true or false");
  CHECK_THROWS_WITH(j.at("n").members(), "`n` is null, expected an object");
}

TEST_CASE("json: a number must be in its range, and a whole number has no fraction") {
  const auto whole = [](const std::string& text) {
    const auto body = parse_json(text);
    return JsonValue(body, "n").whole(-2, 8);
  };
  CHECK(whole("8") == 8);
  CHECK(whole("-2") == -2);
  CHECK(whole("8.0") == 8);
  const std::string wrong =
      GENERATE("9", "-3", "8.9", "1e300", "-1e300", "18446744073709551615", "9223372036854775808",
               "-9223372036854775808", "1e-300", "\"8\"", "true", "null", "[8]");
  CHECK_THROWS_WITH(whole(wrong), ContainsSubstring("`n` is ") &&
                                      ContainsSubstring("expected a whole number from -2 to 8"));
  const auto body = parse_json("[0.5, 3, -1, \"1\"]");
  const auto items = JsonValue(body, "n").items();
  CHECK(items[0].number(0, 1) == 0.5);
  CHECK(items[1].number(0, 3) == 3);
  CHECK_THROWS_WITH(items[1].number(0, 2), "`n[1]` is 3, expected a number from 0 to 2");
  CHECK_THROWS_WITH(items[2].number(0, 2), "`n[2]` is -1, expected a number from 0 to 2");
  CHECK_THROWS_WITH(items[3].number(0, 2), "`n[3]` is \"1\", expected a number from 0 to 2");
}

TEST_CASE("json: a long text is shown in part") {
  const auto body = parse_json("\"" + std::string(10'000, 'x') + "\"");
  CHECK_THROWS_WITH(JsonValue(body, "n").whole(0, 1),
                    "`n` is \"" + std::string(59, 'x') + "…, expected a whole number from 0 to 1");
}
