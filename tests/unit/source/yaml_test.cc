#include "launcher/source/yaml.h"

#include "launcher/source/yaml_scalar.h"
#include "tests/unit/catch.h"
#include "tests/unit/source/support.h"

using namespace slipway::source;

TEST_CASE("yaml reader: reports a duplicate key at the second key") {
  Reading yaml("vars:\n  zone: a\n  region: b\n  zone: c\n");
  CHECK(yaml.rendered() ==
        "error[E0102]: duplicate key `zone`\n"
        " --> x.yaml:4:3\n"
        "  |\n"
        "4 |   zone: c\n"
        "  |   ^^^^\n"
        " ::: x.yaml:2:3\n"
        "  |\n"
        "2 |   zone: a\n"
        "  |   ---- first defined here\n");
  CHECK(yaml.root->find("vars")->find("zone")->text == "a");
}

TEST_CASE("yaml reader: a scalar's span includes its quotes, and its text does not") {
  Reading yaml("a: 'it''s'\nb: \"x\\ty\" # no\nc: plain text # no\nd: &x !!str 5\n");
  REQUIRE(yaml.rendered().empty());
  CHECK(yaml.text(yaml.root->find("a")->span) == "'it''s'");
  CHECK(yaml.root->find("a")->text == "it's");
  CHECK(yaml.text(yaml.root->find("b")->span) == "\"x\\ty\"");
  CHECK(yaml.text(yaml.root->find("c")->span) == "plain text");
  CHECK(yaml.text(yaml.root->find("d")->span) == "5");
  CHECK(std::get<std::string>(resolve(*yaml.root->find("d"))) == "5");
}

TEST_CASE("yaml reader: the place of an empty value is its key") {
  Reading yaml("vars:\n  project_id:  # fill in\n\n  zone: ~\n");
  const Node& vars = *yaml.root->find("vars");
  CHECK(vars.find("project_id")->is_null());
  CHECK(yaml.text(vars.find("project_id")->span) == "project_id");
  CHECK(yaml.text(vars.find("zone")->span) == "~");
}

TEST_CASE("yaml reader: scalars have the values that Cluster Toolkit gives them") {
  Reading yaml(
      "[yes, on, true, False, 010, 0o10, 0x1F, -1.5e3, .5, 1., null, '', '7', 1_000, 1.2.3, 089, "
      "-0b11, _1, "
      "0x, 1__, '-']");
  const auto& items = yaml.root->items;
  CHECK(std::get<std::string>(resolve(items[0])) == "yes");
  CHECK(std::get<std::string>(resolve(items[1])) == "on");
  CHECK(std::get<bool>(resolve(items[2])));
  CHECK_FALSE(std::get<bool>(resolve(items[3])));
  CHECK(std::get<long double>(resolve(items[4])) == 8);
  CHECK(std::get<long double>(resolve(items[5])) == 8);
  CHECK(std::get<long double>(resolve(items[6])) == 31);
  CHECK(std::get<long double>(resolve(items[7])) == -1500);
  CHECK(std::get<long double>(resolve(items[8])) == 0.5L);
  CHECK(std::get<long double>(resolve(items[9])) == 1);
  CHECK(items[10].is_null());
  CHECK(std::get<std::string>(resolve(items[11])).empty());
  CHECK(std::get<std::string>(resolve(items[12])) == "7");
  CHECK(std::get<long double>(resolve(items[13])) == 1000);
  CHECK(std::get<std::string>(resolve(items[14])) == "1.2.3");
  CHECK(std::get<long double>(resolve(items[15])) == 89);
  CHECK(std::get<long double>(resolve(items[16])) == -3);
  CHECK(std::get<std::string>(resolve(items[17])) == "_1");
  CHECK(std::get<std::string>(resolve(items[18])) == "0x");
  CHECK(std::get<long double>(resolve(items[19])) == 1);
  CHECK(std::get<std::string>(resolve(items[20])) == "-");
}

TEST_CASE("yaml reader: aliases are copies, and << merges missing keys") {
  Reading yaml("base: &b {x: 1, y: 2}\nother:\n  <<: *b\n  y: 3\nlist: [*b, *b]\n");
  REQUIRE(yaml.rendered().empty());
  const Node& other = *yaml.root->find("other");
  REQUIRE(other.entries.size() == 2);
  CHECK(other.find("y")->text == "3");
  CHECK(other.find("x")->text == "1");
  CHECK(yaml.root->find("list")->items[1].find("x")->text == "1");
}

TEST_CASE("yaml reader: a line indented too little is reported at that line") {
  Reading yaml("a:\n  - x: 1\n   y: 2\n");
  CHECK(yaml.rendered() ==
        "error[E0101]: this line does not belong to the list above it\n"
        " --> x.yaml:3:4\n"
        "  |\n"
        "3 |    y: 2\n"
        "  |    ^\n"
        "  = help: all keys of a mapping, and all items of a list, start in the same column\n");
  CHECK_FALSE(yaml.root.has_value());
}

TEST_CASE("yaml reader: a second document is an error, and its keys are still read") {
  Reading yaml("a: b\n---\nc: d\n");
  CHECK(
      yaml.rendered() ==
      "error[E0103]: a second YAML document begins here\n"
      " --> x.yaml:3:1\n"
      "  |\n"
      "3 | c: d\n"
      "  | ^\n"
      "  = help: a file can have only one document; a line indented less than the one above it may "
      "start another\n");
  CHECK(yaml.root->find("c")->text == "d");
}

TEST_CASE("yaml reader: a value after the file's only value begins a second document") {
  Reading yaml("'a'\nb\n");
  CHECK(
      yaml.rendered().starts_with("error[E0103]: a second YAML document begins here\n"
                                  " --> x.yaml:2:1\n"));
  CHECK(yaml.root->text == "a");
}

TEST_CASE("yaml reader: spans are byte offsets, also after non-ASCII characters") {
  Reading yaml("ä: 'ö'\r\n𝄞: [é, ü]\n");
  REQUIRE(yaml.rendered().empty());
  CHECK(yaml.text(yaml.root->entries[0].value.span) == "'ö'");
  CHECK(yaml.text(yaml.root->entries[1].key_span) == "𝄞");
  CHECK(yaml.text(yaml.root->entries[1].value.span) == "[é, ü]");
}

TEST_CASE("yaml reader: a control character is reported at its place") {
  CHECK(Reading("é: \xC2\x80\n")
            .rendered()
            .starts_with("error[E0105]: this control character is not allowed in a YAML file\n"
                         " --> x.yaml:1:4\n"));
}

TEST_CASE("yaml reader: missing or extra quotes, brackets and names") {
  const auto said = [](const std::string& text) {
    const std::string all = Reading(text).rendered();
    return all.substr(0, all.find('\n', all.find('\n') + 1));
  };
  CHECK(said("a: [1, 2\nb: 3\n") == "error[E0101]: this `[` has no closing `]`\n --> x.yaml:1:4");
  CHECK(said("a: 1\n]\n") ==
        "error[E0101]: this line does not belong to the mapping above it\n --> x.yaml:2:1");
  CHECK(said("[a]]\n") ==
        "error[E0101]: this closing bracket has no opening bracket\n --> x.yaml:1:4");
  CHECK(said("a: 'x' y\n") ==
        "error[E0101]: unexpected text after the end of a value\n --> x.yaml:1:8");
  CHECK(said("a: \"x\nb: 1\n") ==
        "error[E0101]: this quoted string has no closing quote\n --> x.yaml:1:4");
  CHECK(said("a: \"\\é\"\n") ==
        "error[E0101]: `\\é` is not a valid escape in a double-quoted string\n --> x.yaml:1:5");
  CHECK(said("a: !x!y z\n") == "error[E0101]: this tag is not defined\n --> x.yaml:1:4");
  CHECK(said("a: & b\n") == "error[E0101]: a name is missing here\n --> x.yaml:1:5");
}

TEST_CASE("yaml reader: a file that is not text is rejected at its first invalid byte") {
  Reading yaml("a: \"\xff\"\n");
  CHECK(
      yaml.rendered().starts_with("error[E0105]: the byte 0xFF is not allowed in a YAML file\n"
                                  " --> x.yaml:1:5\n"));
}

TEST_CASE("yaml reader: aliases that multiply are stopped") {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) text += (k ? ", *a" : "*a") + std::to_string(i - 1);
    text += "]\n";
  }
  Reading yaml(text);
  CHECK(yaml.rendered().starts_with("error[E0106]: aliases expand to more than 100000 values\n"));
}

TEST_CASE("yaml reader: a key that is a list is rejected") {
  Reading yaml("? [a, b]\n: c\n");
  CHECK(
      yaml.rendered().starts_with("error[E0104]: a key must be a string, but this is a list\n"
                                  " --> x.yaml:1:3\n"));
}

TEST_CASE("yaml reader: an empty file is null") {
  Reading yaml("# only a comment\n");
  CHECK(yaml.rendered().empty());
  CHECK(yaml.root->is_null());
}

TEST_CASE("yaml reader: every byte of a scalar maps back to its place in the source") {
  const auto found = [](const std::string& text) {
    Reading yaml(text);
    REQUIRE(yaml.rendered().empty());
    const Node& node = yaml.root->entries[0].value;
    const size_t at = node.text.find("X");
    REQUIRE(at != std::string::npos);
    const auto place = yaml.sources.place(text_offsets(node, yaml.sources)[at]);
    return std::to_string(place.line) + ":" + std::to_string(place.column);
  };
  CHECK(found("a: plain X\n") == "1:10");
  CHECK(found("a: 'it''s X'\n") == "1:11");
  CHECK(found("a: \"\\u00e9\\t\\\"X\"\n") == "1:15");
  CHECK(found("a: |\n  one\n\n    two X\n") == "4:9");
  CHECK(found("a: >-  # folded\n  one\n  X two\n") == "3:3");
  CHECK(found("a: plain\n  over lines X\n") == "2:14");
  CHECK(found("a: \"one \\\n   X\"\n") == "2:4");
  CHECK(found("a: ñ X\r\n") == "1:6");
}

TEST_CASE("yaml reader: aliases of a long text are stopped before they fill the memory") {
  std::string text = "a: &a " + std::string(100'000, 'x') + "\nb:\n";
  for (int i = 0; i < 1000; ++i) text += "- *a\n";
  CHECK(Reading(text).rendered().starts_with(
      "error[E0106]: aliases expand to more than 100000 values\n"));
}

TEST_CASE("yaml reader: nested anchors count as copies") {
  std::string text = "a: ";
  for (int i = 0; i < 100; ++i) text += "&a" + std::to_string(i) + " [";
  for (int i = 0; i < 5000; ++i) text += "1,";
  text += std::string(100, ']') + "\n";
  CHECK(Reading(text).rendered().starts_with(
      "error[E0106]: aliases expand to more than 100000 values\n"));
}

TEST_CASE("yaml reader: a file with too many values is rejected") {
  std::string text;
  for (int i = 0; i < 100'001; ++i) text += "- 1\n";
  CHECK(Reading(text).rendered().starts_with(
      "error[E0106]: this file has more than 100000 values\n"));
}

TEST_CASE("yaml reader: the nesting of brackets and aliases is limited") {
  const std::string open(150, '['), close(150, ']');
  CHECK(Reading(open + close + "\n").rendered().empty());
  CHECK(Reading(open + open + close + close + "\n")
            .rendered()
            .starts_with("error[E0101]: this is nested too deeply\n --> x.yaml:1:201\n"));
  CHECK(Reading("a: &a " + open + close + "\nb: " + open + "*a" + close + "\n")
            .rendered()
            .starts_with("error[E0101]: this is nested too deeply\n --> x.yaml:2:154\n"));
}

TEST_CASE("yaml reader: an alias inside its own anchor is an error") {
  CHECK(Reading("a: &a [*a]\n").rendered() ==
        "error[E0101]: this alias is inside its own anchor\n"
        " --> x.yaml:1:8\n"
        "  |\n"
        "1 | a: &a [*a]\n"
        "  |        ^\n");
}

TEST_CASE("yaml reader: a file in another encoding is rejected with a hint") {
  const std::string wide("a\0:\0", 4);
  CHECK(
      Reading(wide).rendered().ends_with("help: this looks like UTF-16; save the file as UTF-8\n"));
  CHECK(Reading("\xFE\xFF" + wide)
            .rendered()
            .ends_with("help: this looks like UTF-16; save the file as UTF-8\n"));
  CHECK(Reading("a: Z\xFCrich\n").rendered().ends_with("help: a YAML file must be UTF-8\n"));
  CHECK(Reading("\xEF\xBB\xBF\xEF\xBB\xBF"
                "a: 1\n")
            .rendered()
            .starts_with("error[E0105]: a second byte order mark\n --> x.yaml:1:1\n"));
}

TEST_CASE("yaml reader: a number that is too large is a string") {
  CHECK(std::get<std::string>(resolve(Reading("1e99999\n").root.value())) == "1e99999");
}

TEST_CASE("yaml reader: a tag with nothing after it is an empty string at the end of the tag") {
  Reading yaml("a: !!str\nb: ~\n");
  REQUIRE(yaml.rendered().empty());
  const Node& a = *yaml.root->find("a");
  CHECK(std::get<std::string>(resolve(a)).empty());
  CHECK(a.span.begin == a.span.end);
  CHECK(yaml.sources.place(a.span.begin).column == 9);
  CHECK(yaml.root->find("b")->is_null());
  CHECK(text_offsets(*yaml.root->find("b"), yaml.sources).size() == 2);
}

TEST_CASE("yaml scalar: the reader reads back ends of lines and characters without a picture") {
  for (const char* character :
       {"\n",     "\r",     "\t",     "\x01",   "\x1b",   "\x7f",      "\u0080", "\u0085",
        "\u009f", "\u00a0", "\u00e9", "\u2003", "\u201d", "\u2027",    "\u2028", "\u2029",
        "\u202a", "\ufeff", "\ufffd", "\ufffe", "\uffff", "\U0001f600"}) {
    for (const char* form : {"{}", "a{}b", " {} ", "{}{}", "a {}# b", "\\{}\""}) {
      const std::string text = fmt::format(fmt::runtime(form), character, character);
      const std::string written = yaml_scalar(text);
      CAPTURE(written);
      CHECK(written.find('\n') == written.npos);
      Reading yaml(fmt::format("{}: {}\n", written, written));
      REQUIRE(yaml.rendered().empty());
      REQUIRE(yaml.root->find(text) != nullptr);
      CHECK(std::get<std::string>(resolve(*yaml.root->find(text))) == text);
    }
  }
  CHECK(yaml_scalar("a\u0085b") == "\"a\\u0085b\"");
  CHECK(yaml_scalar("\u2028") == "\"\\u2028\"");
  CHECK(yaml_scalar("caf\u00e9s") == "caf\u00e9s");
  CHECK(yaml_scalar("\u3000") == "\"\u3000\"");
}
