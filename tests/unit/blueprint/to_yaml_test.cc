#include <nlohmann/json.hpp>

#include "launcher/blueprint/expand.h"
#include "launcher/source/yaml.h"
#include "tests/unit/catch.h"
#include "tests/unit/source/support.h"

using slipway::blueprint::to_yaml;
using Json = nlohmann::ordered_json;

TEST_CASE("yaml writer: block style, with quotes only where necessary") {
  const Json tree = {{"a", "text"},
                     {"b", {1, 2.5, true, nullptr}},
                     {"c", {{"d", Json::array()}, {"e", Json::object()}}},
                     {"f", {{{"g", "x"}, {"h", {"i"}}}, {{"g", "z"}}}},
                     {"two words", "a: b"}};
  CHECK(to_yaml(tree) ==
        "a: text\nb:\n- 1\n- 2.5\n- true\n- null\nc:\n  d: []\n  e: {}\n"
        "f:\n- g: x\n  h:\n  - i\n- g: z\ntwo words: \"a: b\"\n");
}

TEST_CASE("yaml writer: every string is read back as the same string") {
  for (const std::string text :
       {"",     " x",    "yes",  "no",   "null", "~",          "1",   "0x1F",  "1e3",
        "1:30", "1_000", "a\nb", "a\tb", "#x",   "x #y",       "x:",  "- a",   "*a",
        "&a",   "%a",    "@a",   "'",    "\"",   "\\",         "ñ",   "((a))", "{a}",
        "true", "a, b",  "?",    "<<",   "$(x)", "2026-11-21", "---", "..."}) {
    slipway::source::Reading reading(to_yaml(Json{{"k", text}}));
    INFO(text);
    REQUIRE(reading.root.has_value());
    const auto scalar = slipway::source::resolve(*reading.root->find("k"));
    REQUIRE(std::holds_alternative<std::string>(scalar));
    CHECK(std::get<std::string>(scalar) == text);
  }
}
