#include "launcher/source/diagnostics.h"

#include <stdlib.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "launcher/source/json.h"
#include "tests/unit/catch.h"

using namespace slipway::source;

namespace {

// A diagnostic at `word` in a one-line file, as printed.
std::string shown(const std::string& line, const std::string& word) {
  Sources sources;
  const Span file = sources.add("x.yaml", line + "\n");
  const auto begin = file.begin + static_cast<uint32_t>(line.find(word));
  Diagnostics diagnostics(sources);
  diagnostics.error(Code::bad_name, {begin, begin + static_cast<uint32_t>(word.size())}, "bad");
  return render(diagnostics);
}

}  // namespace

TEST_CASE("diagnostics: show the message, the source line, carets and a hint") {
  Sources sources;
  sources.add("first.yaml", "nothing\n");
  std::string text(15, '\n');
  text += "      local_muont: /home\n";
  const Span file = sources.add("cluster.yaml", text);
  Diagnostics diagnostics(sources);
  diagnostics
      .error(Code::unknown_setting, {file.begin + 21, file.begin + 32},
             "module `homefs` has no setting `local_muont`")
      .help("did you mean `local_mount`?");
  CHECK(render(diagnostics) ==
        "error[E0203]: module `homefs` has no setting `local_muont`\n"
        "  --> cluster.yaml:16:7\n"
        "   |\n"
        "16 |       local_muont: /home\n"
        "   |       ^^^^^^^^^^^\n"
        "   = help: did you mean `local_mount`?\n");
}

TEST_CASE("diagnostics: the caret is in the right column after tabs") {
  CHECK(shown("a:\tX", "X") ==
        "error[E0205]: bad\n"
        " --> x.yaml:1:4\n"
        "  |\n"
        "1 | a:    X\n"
        "  |       ^\n");
}

TEST_CASE(
    "diagnostics: the caret is in the right column after accents, wide and combining characters") {
  CHECK(shown("ñañ: X", "X") ==
        "error[E0205]: bad\n --> x.yaml:1:6\n  |\n1 | ñañ: X\n  |      ^\n");
  CHECK(shown("机器: X", "X") ==
        "error[E0205]: bad\n --> x.yaml:1:5\n  |\n1 | 机器: X\n  |       ^\n");
  CHECK(shown("n\u0303: X", "X") ==
        "error[E0205]: bad\n --> x.yaml:1:5\n  |\n1 | n\u0303: X\n  |    ^\n");
  CHECK(shown("a: 机器", "机器") ==
        "error[E0205]: bad\n --> x.yaml:1:4\n  |\n1 | a: 机器\n  |    ^^^^\n");
}

TEST_CASE("diagnostics: appear in file order, without duplicates") {
  Sources sources;
  const Span file = sources.add("x.yaml", "a\nb\n");
  Diagnostics diagnostics(sources);
  diagnostics.error(Code::bad_name, {file.begin + 2, file.begin + 3}, "second");
  diagnostics.warning(Code::variable_not_used, {file.begin, file.begin + 1}, "first");
  diagnostics.error(Code::bad_name, {file.begin + 2, file.begin + 3}, "second");
  CHECK(render(diagnostics) ==
        "warning[E0222]: first\n --> x.yaml:1:1\n  |\n1 | a\n  | ^\n"
        "\n"
        "error[E0205]: second\n --> x.yaml:2:1\n  |\n2 | b\n  | ^\n");
  CHECK(diagnostics.warnings() == 1);
}

TEST_CASE("diagnostics: without a place, only the message is shown") {
  Sources sources;
  Diagnostics diagnostics(sources);
  diagnostics.error(Code::no_controller, {}, "there is no controller");
  CHECK(render(diagnostics) == "error[E0401]: there is no controller\n");
}

TEST_CASE("diagnostics: color is used only on request") {
  Sources sources;
  Diagnostics diagnostics(sources);
  diagnostics.error(Code::no_controller, {}, "there is no controller");
  CHECK(render(diagnostics, Color::always) ==
        "\x1b[1;31merror[E0401]\x1b[0m\x1b[1m: there is no controller\x1b[0m\n");
  CHECK(color_for(-1) == Color::never);
}

TEST_CASE("diagnostics: a broken rule has a code of its own as a warning") {
  Sources sources;
  Diagnostics diagnostics(sources);
  diagnostics.warning(Code::rule_broken, {}, "this has no effect");
  CHECK(render(diagnostics) == "warning[W0230]: this has no effect\n");
  diagnostics.error(Code::rule_broken, {}, "this is refused");
  CHECK(to_json(diagnostics)["diagnostics"][0]["code"] == "W0230");
  CHECK(to_json(diagnostics)["diagnostics"][1]["code"] == "E0217");
}

TEST_CASE("diagnostics: every code has a unique name") {
  std::set<std::string_view> names;
  for (const CodeInfo& info : codes()) {
    CHECK(info.name.size() == 5);
    CHECK(names.insert(info.name).second);
  }
}

TEST_CASE("sources: the place at the end of a file is its last line") {
  Sources sources;
  const Span a = sources.add("a", "one\ntwo");
  const Span b = sources.add("b", "\xEF\xBB\xBFthree\n");
  CHECK(sources.place(a.end).file == "a");
  CHECK(sources.place(a.end).line == 2);
  CHECK(sources.place(a.end).column == 4);
  CHECK(sources.place(b.begin).line_text == "three");
}

TEST_CASE("diagnostics: a very wide line is cut around the mark") {
  const std::string wide(200, 'a');
  CHECK(shown(wide + "XY" + wide, "XY") == "error[E0205]: bad\n --> x.yaml:1:201\n  |\n1 | …" +
                                               std::string(52, 'a') + "XY" + std::string(104, 'a') +
                                               "…\n  | " + std::string(53, ' ') + "^^\n");
  CHECK(shown("k: " + wide, wide) ==
        "error[E0205]: bad\n --> x.yaml:1:4\n  |\n1 | k: " + std::string(52, 'a') + "…\n  |    " +
            std::string(53, '^') + "\n");
  CHECK(shown(wide.substr(0, 159) + "X", "X") == "error[E0205]: bad\n --> x.yaml:1:160\n  |\n1 | " +
                                                     wide.substr(0, 159) + "X\n  | " +
                                                     std::string(159, ' ') + "^\n");
}

TEST_CASE(
    "diagnostics: JSON offsets include a byte order mark, and columns count characters, not "
    "bytes") {
  Sources sources;
  const Span file = sources.add("x.yaml", "\xEF\xBB\xBFname: \"ä\"\nzone: b\n");
  Diagnostics diagnostics(sources);
  diagnostics.error(Code::bad_name, {file.begin + 6, file.begin + 10}, "bad");
  CHECK(to_json(diagnostics)["diagnostics"][0]["place"].dump() ==
        R"({"file":"x.yaml","line":1,"column":7,"end_line":1,"end_column":10,)"
        R"("begin_byte":9,"end_byte":13})");
}

TEST_CASE("diagnostics: JSON of no diagnostics, and of one without a place") {
  Sources sources;
  Diagnostics diagnostics(sources);
  CHECK(to_json(diagnostics).dump() ==
        R"({"schema":"slipway/diagnostics/1","errors":0,"warnings":0,"diagnostics":[]})");
  diagnostics.warning(Code::module_not_used, {}, "unused").help("use it");
  CHECK(to_json(diagnostics)["diagnostics"][0].dump() ==
        R"({"code":"W0223","severity":"warning","message":"unused","place":null,)"
        R"("others":[],"help":["use it"]})");
}

TEST_CASE("diagnostics: the first thousand are kept, and the first fifty are shown") {
  Sources sources;
  const Span file = sources.add("x.yaml", std::string(2000, '-') + "\n");
  Diagnostics diagnostics(sources);
  for (uint32_t i = 0; i < 2000; ++i) {
    diagnostics.error(Code::bad_name, {file.begin + i, file.begin + i + 1}, "bad").help("better");
  }
  CHECK(diagnostics.errors() == 2000);
  CHECK(diagnostics.sorted().size() == 1000);
  const std::string text = render(diagnostics);
  CHECK(text.find("x.yaml:1:50\n") != std::string::npos);
  CHECK(text.find("x.yaml:1:51\n") == std::string::npos);
  CHECK(text.ends_with("help: better\n\n… and 950 more\n"));
}

TEST_CASE("diagnostics: a very long message is cut") {
  Sources sources;
  Diagnostics diagnostics(sources);
  diagnostics.error(Code::bad_name, {}, std::string(5000, 'x'));
  CHECK(render(diagnostics) == "error[E0205]: " + std::string(1000, 'x') + "…\n");
}
