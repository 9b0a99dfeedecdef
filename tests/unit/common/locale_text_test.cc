// Tests how text is spelled where only ASCII can be shown.
#include "common/locale_text.h"

#include "tests/unit/catch.h"

using namespace slipway;

TEST_CASE("locale text: characters of ours have a spelling in ASCII") {
  CHECK(ascii("a → b … 5 × 3") == "a -> b ... 5 x 3");
  CHECK(ascii("├─ x\n│  └─ y") == "|- x\n|  `- y");
  CHECK(ascii("85 °C, 3 µs") == "85 C, 3 us");
  CHECK(ascii("plain\ttext\n") == "plain\ttext\n");
}

TEST_CASE("locale text: other characters and broken bytes become question marks, each one") {
  CHECK(ascii("Zürich 東京 😀") == "Z?rich ?? ?");
  CHECK(ascii("a\xff\xc3") == "a??");
  CHECK(ascii("\xe2\x80") == "??");
  CHECK(ascii("\xe2\x80z") == "??z");
}

TEST_CASE("locale text: what a terminal could take for commands becomes question marks") {
  CHECK(without_controls("train \x1b]0;mine\a\r\n2") == "train ?]0;mine???2");
  CHECK(without_controls("a\u009bH\x9b\x7f") == "a?H??");
  CHECK(without_controls("Zürich → 東京") == "Zürich → 東京");
}
