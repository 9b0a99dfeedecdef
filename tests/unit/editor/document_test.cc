// Positions of editors, and how a text changes.
#include "launcher/editor/document.h"

#include "tests/unit/catch.h"

using namespace slipway::editor;

namespace {

std::pair<size_t, size_t> pair_of(Position position) {
  return {position.line, position.character};
}

}  // namespace

TEST_CASE("document: counts columns in units of UTF-16, or in bytes") {
  const std::string text = "a: é😀x\r\nb\n";
  const size_t x = text.find('x');
  const Document wide(text, Encoding::utf16);
  CHECK(pair_of(wide.position(x)) == std::pair<size_t, size_t>{0, 6});
  CHECK(wide.offset({0, 6}) == x);
  CHECK(wide.offset({0, 5}) == text.find("😀"));  // in the middle of a character
  const Document narrow(text, Encoding::utf8);
  CHECK(pair_of(narrow.position(x)) == std::pair<size_t, size_t>{0, 9});
  CHECK(narrow.offset({0, 9}) == x);
}

TEST_CASE("document: a place outside of the text is at its nearest end") {
  const Document document("ab\r\nc", Encoding::utf16);
  CHECK(document.offset({0, 99}) == 2);  // not after the line end
  CHECK(document.offset({9, 0}) == 5);
  CHECK(pair_of(document.position(99)) == std::pair<size_t, size_t>{1, 1});
}

TEST_CASE("document: a change replaces a range, also with another number of lines") {
  Document document("one\ntwo\nthree\n", Encoding::utf16);
  document.replace({{0, 1}, {2, 2}}, "X\nY");
  CHECK(document.text() == "oX\nYree\n");
  CHECK(document.line(1) == "Yree");
  document.replace({{1, 0}, {0, 0}}, "!");  // its end is before its beginning
  CHECK(document.text() == "oX\n!Yree\n");
}
