// How `slipway fmt` lays YAML out, and what it leaves alone.
#include "launcher/editor/format.h"

#include "tests/unit/catch.h"

using namespace slipway;

namespace {

std::string formatted(const std::string& text) {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  const source::Span file = sources.add("x.yaml", text);
  const auto result = editor::format_yaml(file, sources, diagnostics);
  INFO(render(diagnostics));
  REQUIRE(result);
  const source::Span once = sources.add("once", editor::laid_out(file, sources));
  CHECK(editor::means_the_same(file, once, sources));
  const source::Span again = sources.add("again", *result);
  CHECK(editor::format_yaml(again, sources, diagnostics) == result);
  return *result;
}

}  // namespace

TEST_CASE("format: levels have two spaces, and lists begin at the column of their key") {
  CHECK(formatted(
            "a:\n    b:\n        - c: 1\n          d:\n             - 2\n             -  3\n") ==
        "a:\n  b:\n  - c: 1\n    d:\n    - 2\n    - 3\n");
  CHECK(formatted("- - a\n  -   b\n-\n     c: 1\n     d: 2\n") ==
        "- - a\n  - b\n-\n  c: 1\n  d: 2\n");
  CHECK(formatted("  a: 1\n  b:\n   c: 2\n") == "a: 1\nb:\n  c: 2\n");
}

TEST_CASE("format: one space follows a colon and a dash, and blanks before a comment stay") {
  CHECK(formatted("a:   1   # one\nb:    # nothing\nc:\t2\n-x: 1\n") ==
        "a: 1   # one\nb:    # nothing\nc: 2\n-x: 1\n");
  CHECK(formatted("a:\n-   x\n-    # none\n-   &b y\n") == "a:\n- x\n-    # none\n- &b y\n");
  CHECK(formatted("a:    &b\n    c: 1\nd:   *b\n") == "a: &b\n  c: 1\nd: *b\n");
}

TEST_CASE("format: trailing blanks and empty lines at both ends go, empty lines inside stay") {
  CHECK(formatted("\n \na: 1  \n\n\nb: 2\t\n\n   \n") == "a: 1\n\n\nb: 2\n");
  CHECK(formatted("a: 1") == "a: 1\n");
  CHECK(formatted("").empty());
  CHECK(formatted("# only a comment") == "# only a comment\n");
}

TEST_CASE("format: comments stay with the level that they are in") {
  CHECK(formatted(
            "a:\n    # above b\n    b: 1\n    # below b\n# above c\nc:\n      - d\n      # - e\n"
            "#c\nf: 1\n   # end\n") ==
        "a:\n  # above b\n  b: 1\n  # below b\n# above c\nc:\n- d\n# - e\n#c\nf: 1\n   # end\n");
  CHECK(formatted(
            "m:\n    - id: a\n      settings:\n          x: 1\n          # y: 2\n    # - id: b\n"
            "    - id: c\n") ==
        "m:\n- id: a\n  settings:\n    x: 1\n    # y: 2\n# - id: b\n- id: c\n");
  CHECK(formatted("a:\n    b: 1 #\ttab \t\n") == "a:\n  b: 1 #\ttab\n");
}

TEST_CASE("format: the text of a block scalar moves unchanged") {
  CHECK(formatted("a:\n    b: |\n            if x\n              then  \n                \n\n      "
                  "      fi\n"
                  "    # after\n    c: 1\n") ==
        "a:\n  b: |\n    if x\n      then  \n        \n\n    fi\n  # after\n  c: 1\n");
  CHECK(formatted("a:\n    b: |1-   \n       x\n     y\n") == "a:\n  b: |1-\n     x\n   y\n");
  CHECK(formatted("a: |+\n    x\n\n  \n") == "a: |+\n  x\n\n\n");
  CHECK(formatted("a: |\n    x\n\n\n") == "a: |\n  x\n");
  CHECK(formatted("a: >-\n    x\n     y\n\n    z") == "a: >-\n  x\n   y\n\n  z\n");
  CHECK(formatted("a: |\n    x") == "a: |\n  x");  // a line end would be part of the text
}

TEST_CASE("format: a comment never becomes part of a block scalar") {
  CHECK(formatted("a:\n    b: |\n          x\n        # y\n    c: 1\n") ==
        "a:\n  b: |\n    x\n  # y\n  c: 1\n");
}

TEST_CASE("format: lines of other scalars and of flow collections keep their distance") {
  CHECK(formatted("a:\n    b: one\n        two  \n\n        three\n") ==
        "a:\n  b: one\n      two\n\n      three\n");
  CHECK(formatted("a:\n    b: \"one  \n\n       two\\\n     three\"\n") ==
        "a:\n  b: \"one  \n\n     two\\\n   three\"\n");
  CHECK(formatted("a:\n    b: {c:   1, # c\n        d: [1,\n            2],\n    }\n") ==
        "a:\n  b: {c:   1, # c\n      d: [1,\n          2],\n  }\n");
}

TEST_CASE("format: anchors, tags, merge keys, explicit keys and markers survive") {
  CHECK(formatted("---\nx:   &x\n     a: 1\ny:\n     <<:    *x\n     b:   !!str 5\n...\n") ==
        "---\nx: &x\n  a: 1\ny:\n  <<: *x\n  b: !!str 5\n...\n");
  CHECK(formatted("a:\n    ? b\n    :   - c\n        - d\n    ? e\n") ==
        "a:\n  ? b\n  :   - c\n      - d\n  ? e\n");
  CHECK(formatted("a:\n    !!map\n    # c\n    b: 1\n") == "a:\n  !!map\n  # c\n  b: 1\n");
}

TEST_CASE("format: line ends and Unicode stay") {
  CHECK(formatted("a:\r\n    b: |\r\n        é  \r\n    ü:  ☃ # 雪 \r\n\r\n") ==
        "a:\r\n  b: |\r\n    é  \r\n  ü: ☃ # 雪\r\n");
  CHECK(formatted("a: 1\r\nb: 2") == "a: 1\r\nb: 2\r\n");
}

TEST_CASE("format: a byte order mark in the text stays there") {
  CHECK(formatted("\n\n\xEF\xBB\xBF\n\n<<") == "\n\n\xEF\xBB\xBF\n\n<<");
}

TEST_CASE("format: a file with mistakes is not formatted") {
  for (const char* text : {"a: [1\n", "a: 1\na: 2\n", "a: 1\n---\nb: 2\n", "\xFF"}) {
    source::Sources sources;
    source::Diagnostics diagnostics(sources);
    CHECK_FALSE(editor::format_yaml(sources.add("x.yaml", text), sources, diagnostics));
    CHECK(diagnostics.errors() == 1);
  }
}
