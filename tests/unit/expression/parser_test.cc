#include "launcher/expression/parser.h"

#include "tests/unit/catch.h"

using namespace slipway::expression;

namespace {

// Parses and prints an expression.
std::string again(std::string_view text) {
  return to_hcl(*parse(text));
}

std::string failure(std::string_view text) {
  try {
    parse(text);
  } catch (const ExpressionError& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("expressions: are printed as they were written") {
  for (const char* text : {"1",
                           "-2.5",
                           "true",
                           "null",
                           "\"a\"",
                           "\"${var.a}-x\"",
                           "\"$${a} %%{b} \\\"q\\\" \\n\"",
                           "var.zone",
                           "module.my-net.subnetworks[0].name",
                           "a[\"k\"][*].b",
                           "f()",
                           "f(a, [1, 2]...)",
                           "{ a = 1, \"b c\" = 2 }",
                           "{}",
                           "[]",
                           "1 + 2 * 3",
                           "(1 + 2) * 3",
                           "!a && b || c == d",
                           "a ? b : c ? d : e",
                           "[for k, v in m : \"${k}\" if v != null]",
                           "{for x in l : x => 1}",
                           "{\n  a = 1\n  b = 2\n}",
                           "{for x in l : x => 1...}",
                           "provider::x::f(a)",
                           "a.*.b.0.c[0]",
                           "a.0 .1",
                           "a[*].b[*]",
                           "\"${x}\"",
                           "\"%{ if a }b${c}%{ else }d%{ endif }e\"",
                           "\"%{ for k, v in m }${v}%{ endfor }\"",
                           "{ (var.a) = 1, \"${b}\" = 2, 3 = 4 }"}) {
    CHECK(again(text) == text);
  }
}

TEST_CASE("expressions: operators bind as in HCL") {
  CHECK(again("1+2*3==7&&!x") == "1 + 2 * 3 == 7 && !x");
  const auto sum = parse("1 + 2 * 3");
  REQUIRE(sum->as<Binary>() != nullptr);
  CHECK(sum->as<Binary>()->op == Operator::add);
  const auto left = parse("8 - 4 - 2");
  CHECK(to_hcl(*left->as<Binary>()->left) == "8 - 4");
}

TEST_CASE("expressions: comments and line ends are white space") {
  CHECK(again("[1, # one\n 2 /* two */ ]") == "[1, 2]");
}

TEST_CASE("expressions: a dash belongs to a name, a minus has spaces") {
  CHECK(again("a-b") == "a-b");
  CHECK(parse("a-b")->as<Traversal>() != nullptr);
  CHECK(parse("a - b")->as<Binary>() != nullptr);
}

TEST_CASE("expressions: messages about syntax errors") {
  CHECK(failure("1 +") == "unexpected end of the expression");
  CHECK(failure("f(1") == "unexpected end of the expression, expected `)`");
  CHECK(failure("a b") == "unexpected `b`");
  CHECK(failure("a.0.1") == "`.0.1` is not an element: write `[…][…]`");
  CHECK(failure("a.*.b.*.c") == "`.*` cannot follow another `.*`");
  CHECK(failure("1e5000") == "this number is too large");
  CHECK(failure("{ a.b = 1 }") == "a key that is not a plain name must be in parentheses");
  CHECK(failure("{ a 1 }") == "unexpected `1`, expected `=`");
  CHECK(failure("\"open") == "this string has no closing quote");
  CHECK(failure("\"\\q\"") == "unknown escape `\\q`");
  CHECK(failure("a ; b") == "unexpected `;`");
  CHECK(failure(std::string(5000, '(')) == "this expression is nested too deeply");
  CHECK(failure(std::string(5000, '!') + "a") == "this expression is nested too deeply");
  CHECK(failure("") == "unexpected end of the expression");
}

TEST_CASE("expressions: chains of operators are limited, as nesting is") {
  const auto chain = [](const std::string& link, int length) {
    std::string text = "1";
    for (int i = 0; i < length; ++i) text += link;
    return text;
  };
  CHECK_NOTHROW(parse(chain("+1", 500)));
  CHECK(failure(chain("+1", 10000)) == "this expression has more than 500 operators");
  CHECK(failure(chain("[*]", 10000)) == "this expression has more than 500 operators");
}

TEST_CASE("expressions: in an object, a line end ends the item") {
  CHECK(again("{\n a = b\n (c) = d\n}") == "{\n  a = b\n  (c) = d\n}");
  CHECK(again("{ a = (1\n + 2) }") == "{ a = (1 + 2) }");
  CHECK(failure("{ a = 1\n + 2 }") == "unexpected `+`");
}

TEST_CASE("expressions: heredocs are strings") {
  CHECK(again("<<EOT\n a \"b\" ${c}\nEOT\n") == "\" a \\\"b\\\" ${c}\\n\"");
  CHECK(again("<<-EOT\n    a\n      b\n  EOT\n") == "\"a\\n  b\\n\"");
  CHECK(again("f(<<A\nx\nA\n, 1)") == "f(\"x\\n\", 1)");
  CHECK(failure("<<EOT\na\n") == "this heredoc has no closing line `EOT`");
}

TEST_CASE("expressions: ~ strips the white space on its side") {
  CHECK(again("\"a ${~ b ~} c\"") == "\"a${b}c\"");
  CHECK(again("\"a %{~ if b ~} c %{~ endif ~} d\"") == "\"a%{ if b }c%{ endif }d\"");
}

TEST_CASE("expressions: directives must be paired") {
  CHECK(failure("\"%{ if x }\"") == "this has no `%{ endif }`");
  CHECK(failure("\"%{ for x in y }%{ endif }\"") == "a `%{ for }` is still open here");
  CHECK(failure("\"a%{ endif }\"") == "there is no open directive before this one");
  CHECK(failure("\"%{ while }\"") ==
        "unexpected `while`, expected `if`, `else`, `endif`, `for` or `endfor`");
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "%{ if x }";
  CHECK(failure("\"" + deep + "\"") == "this expression is nested too deeply");
}

TEST_CASE("expressions: a dollar sign before an expression is printed as an escape") {
  const Template price{{make({}, Literal{Value("$")}), parse("a")}};
  CHECK(to_hcl(*make({}, price)) == "\"\\u0024${a}\"");
  CHECK(again("\"\\u0024${a}\"") == "\"\\u0024${a}\"");
}

TEST_CASE("expressions: a string must end on its line") {
  CHECK(failure("\"a\nb\"") == "this string has no closing quote on its line");
}

TEST_CASE("expressions: escapes in strings") {
  const auto text = parse("\"\\u00e9\\U0001F600\\t\"");
  CHECK(*text->as<Literal>()->value.as<std::string>() == "é😀\t");
}

TEST_CASE("expressions: a name that a for binds is not a reference") {
  std::string seen;
  for_each_reference(parse("[for a in var.list : a.b + c.d]"),
                     [&](const Traversal& traversal, Span) { seen += traversal.root + " "; });
  CHECK(seen == "var c ");
  seen.clear();
  for_each_reference(parse("\"%{ for a in b }${a}${c}%{ endfor }\""),
                     [&](const Traversal& traversal, Span) { seen += traversal.root + " "; });
  CHECK(seen == "b c ");
}
