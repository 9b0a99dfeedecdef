#include "launcher/modules/hcl_body.h"

#include "tests/unit/catch.h"

using namespace slipway;

namespace {

// A file, its structure and its diagnostics.
struct OneFile {
  explicit OneFile(std::string text) {
    const source::Span file = sources.add("x.tf", std::move(text));
    whole = modules::read_hcl(file, sources, diagnostics, body);
  }
  // The structure as text: "a=1 b{ c=2 }".
  std::string shape() const { return shape(body); }
  std::string said() const { return render(diagnostics); }

  std::string shape(const modules::HclBody& of) const {
    std::string out;
    for (const auto& attribute : of.attributes) {
      out += attribute.name + "=" + std::string(sources.text(attribute.value)) + " ";
    }
    for (const auto& block : of.blocks) {
      out += block.type;
      for (const auto& label : block.labels) out += " '" + label.text + "'";
      out += "{ " + shape(block.body) + "} ";
    }
    return out;
  }

  source::Sources sources;
  source::Diagnostics diagnostics{sources};
  modules::HclBody body;
  bool whole = false;
};

std::string shape_of(const std::string& text) {
  const OneFile file(text);
  CHECK(file.said().empty());
  CHECK(file.whole);
  return file.shape();
}

// The diagnostics for a file that is not HCL.
std::string said_of(const std::string& text) {
  const OneFile file(text);
  CHECK_FALSE(file.whole);
  return file.said();
}

}  // namespace

TEST_CASE("hcl body: reads attributes and blocks with labels, nested and on one line") {
  CHECK(shape_of("a = 1\nb \"c\" d {\n  e = \"f\"\n  g { h = true }\n  i {}\n}\n") ==
        "a=1 b 'c' 'd'{ e=\"f\" g{ h=true } i{ } } ");
}

TEST_CASE("hcl body: a value ends at the end of its line, but not inside brackets") {
  CHECK(shape_of("a = [\n  1,\n  { b = (\n 2) },\n]\nc = f(\n1\n)\nd = 3") ==
        "a=[\n  1,\n  { b = (\n 2) },\n] c=f(\n1\n) d=3 ");
}

TEST_CASE("hcl body: skips comments, whatever they contain") {
  CHECK(shape_of("# it's \"{\na = 1 # }\nb = 2 // \"\n/* { \" */ c = /* [ */ 3 /* ] */\n"
                 "d = [ # (\n1 /* \n ) */ ]\n") == "a=1 b=2 c=3 d=[ # (\n1 /* \n ) */ ] ");
}

TEST_CASE("hcl body: braces in strings and templates are text") {
  CHECK(shape_of("a = \"}\"\nb = \"\\\"}\"\nc = \"${f(\"}\", { d = \"${\"}\"}\" })}\"\n"
                 "e = \"$${\"\nf = \"%{ if x }}%{ endif }\"\n") ==
        "a=\"}\" b=\"\\\"}\" c=\"${f(\"}\", { d = \"${\"}\"}\" })}\" e=\"$${\" "
        "f=\"%{ if x }}%{ endif }\" ");
}

TEST_CASE("hcl body: the lines of a heredoc are text") {
  const std::string heredoc =
      "<<-EOT\n  }\n  \"not closed\n  EOTX\n  ${join(\"\\n\", [\"}\"])} $${\n  EOT";
  CHECK(shape_of("a {\n  b = " + heredoc + "\n}\nc = f(<<X\n(\nX\n, 1)\n") ==
        "c=f(<<X\n(\nX\n, 1) a{ b=" + heredoc + " } ");
}

TEST_CASE("hcl body: an expression in a heredoc does not end it") {
  CHECK(shape_of("a = <<E\n${[\n\"E\",\nE\n]}\nE\nb = 1\n") == "a=<<E\n${[\n\"E\",\nE\n]}\nE b=1 ");
}

TEST_CASE("hcl body: reads files with a byte order mark and with carriage returns") {
  CHECK(shape_of("\xEF\xBB\xBF"
                 "a = 1\r\nb {\r\n  c = <<E\r\n}\r\nE\r\n}\r\n") == "a=1 b{ c=<<E\r\n}\r\nE } ");
}

TEST_CASE("hcl body: reads an empty file, and a file without a final line end") {
  CHECK(shape_of("").empty());
  CHECK(shape_of("# nothing").empty());
  CHECK(shape_of("a {\n  b = \"c\"\n}") == "a{ b=\"c\" } ");
}

TEST_CASE("hcl body: an unclosed bracket, string or comment is reported where it opens") {
  CHECK(said_of("a {\n  b = [1,\n}\n") ==
        "error[E0107]: unexpected `}`, expected `]`\n --> x.tf:3:1\n  |\n3 | }\n  | ^\n"
        " ::: x.tf:2:7\n  |\n2 |   b = [1,\n  |       - opened here\n");
  CHECK(said_of("a {\n  b = 1\n") ==
        "error[E0107]: this block has no closing `}`\n --> x.tf:1:3\n  |\n1 | a {\n  |   ^\n");
  CHECK(said_of("a = \"b\nc = 1\n") ==
        "error[E0107]: this string has no closing quote\n --> x.tf:1:5\n  |\n1 | a = \"b\n"
        "  |     ^\n");
  CHECK(said_of("a = <<EOT\nb\n EOT x\n") ==
        "error[E0107]: this heredoc has no closing line `EOT`\n --> x.tf:1:5\n  |\n"
        "1 | a = <<EOT\n  |     ^^\n");
  CHECK(said_of("a = 1 /* b\n") ==
        "error[E0107]: this comment has no closing `*/`\n --> x.tf:1:7\n  |\n1 | a = 1 /* b\n"
        "  |       ^^\n");
  CHECK(said_of("a = \"${b\n\n") ==
        "error[E0107]: `$` has no closing `}`\n --> x.tf:1:6\n  |\n1 | a = \"${b\n  |      ^\n");
}

TEST_CASE("hcl body: unexpected text is reported at its place") {
  CHECK(said_of("}\n") ==
        "error[E0107]: unexpected `}`, expected a name\n --> x.tf:1:1\n  |\n1 | }\n  | ^\n");
  CHECK(said_of("a =\nb = 1\n") ==
        "error[E0107]: `a` has no value\n --> x.tf:1:1\n  |\n1 | a =\n  | ^\n");
  CHECK(said_of("a \"b\"\n{}\n") ==
        "error[E0107]: unexpected end of line, expected `=`, a label or `{`\n"
        " --> x.tf:1:6\n  |\n1 | a \"b\"\n  |      ^\n");
  CHECK(said_of("a { b = 1 } c = 2\n") ==
        "error[E0107]: unexpected `c`, expected a new line\n --> x.tf:1:13\n  |\n"
        "1 | a { b = 1 } c = 2\n  |             ^\n");
  CHECK(
      said_of("a \"${b}\" {}\n") ==
      "error[E0107]: a label cannot contain an expression\n --> x.tf:1:4\n  |\n1 | a \"${b}\" {}\n"
      "  |    ^^\n");
  CHECK(said_of("a = 1)\n") ==
        "error[E0107]: unexpected `)`\n --> x.tf:1:6\n  |\n1 | a = 1)\n  |      ^\n");
  CHECK(said_of(std::string("a = \"\0\"\n", 8))
            .starts_with(
                "error[E0105]: the byte 0x00 is not allowed in an HCL file\n --> x.tf:1:6\n"));
}

TEST_CASE("hcl body: every truncated file gives a diagnostic or a body, never a crash") {
  const std::string text =
      "# c\nvariable \"a\" {\n  default = <<-E\n    ${f({ a = [1, \"}\"] })} %{ if x }\n  E\n"
      "  b = \"\\u00e9 $${ ${\"n\"}\" /* c */\n}\nd { e = (1) }\n";
  for (size_t length = 0; length <= text.size(); ++length) {
    const OneFile file(text.substr(0, length));
    CHECK(file.whole == file.said().empty());
  }
}

TEST_CASE("hcl body: too deep nesting is reported") {
  const auto many = [](std::string_view what, size_t bytes) {
    std::string text;
    while (text.size() < bytes) text += what;
    return text;
  };
  constexpr size_t large = 1 << 17;
  for (const char* deep : {"a {\n", "[", "${", "\"${", "{ a = ", "<<E\n${"}) {
    CHECK(said_of("a = " + many(deep, large)).starts_with("error[E0107]: "));
  }
  CHECK(said_of(many("a {\n", large))
            .starts_with("error[E0107]: blocks are nested too deeply\n   --> x.tf:101:3\n"));
  CHECK(said_of("a = " + many("[", large))
            .starts_with("error[E0107]: this value is nested too deeply\n --> x.tf:1:1005\n"));
  CHECK(said_of("a = <<E\n" + many("${x}", large)).starts_with("error[E0107]: this heredoc"));
  CHECK(said_of("a = \"" + many("$", large)).starts_with("error[E0107]: this string"));
  CHECK(shape_of("a = " + many("<", large)).size() > large);
}
