// Tests of reading shell scripts: their commands, and what words mean. bash gives the same results.
#include "launcher/job_script/shell.h"

#include "launcher/job_script/shell_value.h"
#include "tests/unit/catch.h"

using namespace slipway::job_script;
using Kind = ShellCommand::Kind;

namespace {

std::string shape(const std::string& text, const std::vector<ShellCommand>& commands) {
  std::string shown;
  for (const ShellCommand& command : commands) {
    if (!shown.empty()) shown += "; ";
    for (const ShellAssignment& one : command.assignments) shown += one.name + "= ";
    for (const Range word : command.words) shown += std::string(word.of(text)) + " ";
    if (command.kind == Kind::conditional) shown += "if ";
    if (command.kind == Kind::loop) shown += "loop ";
    if (command.kind == Kind::choice) shown += "case ";
    if (command.kind == Kind::function) shown += command.name + "() ";
    if (!command.body.empty()) shown += "{" + shape(text, command.body) + "}";
    if (!command.otherwise.empty()) shown += "else{" + shape(text, command.otherwise) + "}";
    while (shown.ends_with(' ')) shown.pop_back();
    if (command.in_background) shown += "&";
    if (command.after_and_or) shown += "?";
  }
  return shown;
}

std::string shape(const std::string& text) {
  const ShellScript script = read_shell(text);
  CHECK(script.understood == text.size());
  return shape(text, script.commands);
}

std::string expanded(const std::string& word, ShellVariables variables) {
  std::string shown;
  for (const ShellValue& value : expand(word, {0, word.size()}, variables)) {
    shown += "<" + value.text + (value.is_known() ? "" : "?") + ">";
  }
  return shown;
}

ShellVariables some() {
  ShellVariables variables({{"A", "one"}, {"SPACED", "one two"}, {"EMPTY", ""}});
  variables.set("LIST", {{"a b", {}}, {"c", {}}}, false);
  variables.positional = {{"x y", {}}, {"z", {}}};
  return variables;
}

}  // namespace

TEST_CASE("shell: simple commands, operators, comments and continued lines") {
  CHECK(shape("A=1 srun a  'b c' \\\n  d # e\nf;g && h || i & j | k\n") ==
        "A= srun a 'b c' d; f; g; h?; i&?; j; k");
}

TEST_CASE("shell: quotes and expansions are parts of words") {
  const std::string text = R"x(a "b ; c" $(d; e "f)") ${g:-h i} `j k` l"$(m "n o")"p)x";
  CHECK(shape(text) == text);
}

TEST_CASE("shell: redirections and here-documents are left out") {
  CHECK(shape("a >b 2>&1 <<EOF c\nx; y\nif\nEOF\nd <<<\"$x\" e &>/dev/null\n") == "a c; d e");
  CHECK(shape("cat <<-'END' | tee f\n\tx (\n\tEND\nb\n") == "cat; tee f; b");
}

TEST_CASE("shell: conditions, loops, cases and functions") {
  CHECK(shape("if a; then b; elif c; then d; else e; fi >f; g") == "if {b}else{if {d}else{e}}; g");
  CHECK(shape("for i in 1 2; do a; done; while b; do c; done\nfor ((i=0;i<2;++i)); do d; done") ==
        "1 2 loop {a}; loop {c}; loop {d}");
  CHECK(shape("case $x in\n a | \"b\") c ;;\n (*) d\nesac\ne") == "case {c; d}; e");
  CHECK(shape("f() {\n a\n}\nfunction g { b; }\nf x; (c; d); { e; }") ==
        "f() {{a}}; g() {{b}}; f x; {c; d}; {e}");
  CHECK(shape("[[ $a == b && -n c ]] && d; ((x = 1)); e") == "[[ $a == b & & -n c ]]; d?;; e");
}

TEST_CASE("shell: lists, and assignments that only look like ones") {
  CHECK(shape("a=(b \"c d\"\n e) f=g; a+=(h); x[1]=2; echo i=j") == "a= f=; a=; x=; echo i=j");
}

TEST_CASE("shell: it stops at what is not closed, and does not run away") {
  CHECK(read_shell("a\nb 'c\nd").understood == 4);
  CHECK(read_shell("a\nfi\nb").understood == 2);
  CHECK(read_shell("if a; then b").understood < 13);
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "$(";
  CHECK(read_shell(deep).understood == 0);
  std::string groups;
  for (int i = 0; i < 100'000; ++i) groups += "( ";
  CHECK(read_shell(groups).understood < groups.size());
  std::string not_words;
  for (int i = 0; i < 100'000; ++i) not_words += "! ";
  CHECK(read_shell(not_words).understood < not_words.size());
}

TEST_CASE("shell values: variables, defaults and quotes") {
  CHECK(expanded("$A-${A}x", some()) == "<one-onex>");
  CHECK(expanded("$SPACED", some()) == "<one><two>");
  CHECK(expanded("\"$SPACED\"", some()) == "<one two>");
  CHECK(expanded("${NONE:-a b}", some()) == "<a><b>");
  CHECK(expanded("\"${NONE:-a b}\"", some()) == "<a b>");
  CHECK(expanded("${EMPTY:-x}${EMPTY-y}", some()) == "<x>");
  CHECK(expanded("${A:+--a=$A}${NONE:+b}", some()) == "<--a=one>");
  CHECK(expanded("$EMPTY", some()).empty());
  CHECK(expanded("\"$EMPTY\"", some()) == "<>");
  CHECK(expanded("'$A'\\$A\"\\$A\\x\"", some()) == "<$A$A$A\\x>");
}

TEST_CASE("shell values: lists and arguments") {
  CHECK(expanded("\"${LIST[@]}\"", some()) == "<a b><c>");
  CHECK(expanded("$LIST", some()) == "<a><b>");
  CHECK(expanded("\"$@\"", some()) == "<x y><z>");
  CHECK(expanded("$2-$#", some()) == "<z-2>");
  CHECK(expanded("\"$@\"", ShellVariables({})).empty());
  CHECK(expanded("\"${NONE[@]}\"", some()).empty());
}

TEST_CASE("shell values: what only the running script knows keeps its spelling") {
  CHECK(expanded("$HOME/x:$A", some()) == "<$HOME/x:one?>");
  CHECK(expanded("~/x", some()) == "<~/x?>");
  CHECK(expanded("$(date)/$((1 + 2))", some()) == "<$(date)/$((1 + 2))?>");
  CHECK(expanded("${SLURM_NTASKS_PER_NODE%%(*}", some()) == "<${SLURM_NTASKS_PER_NODE%%(*}?>");
  CHECK(expanded("${#LIST[@]}${A/o/0}", some()) == "<${#LIST[@]}${A/o/0}?>");
}

TEST_CASE("shell values: parameters are noted once, with their defaults") {
  ShellVariables variables = some();
  const std::string word = "${IMAGE:-$HOME/a.sqsh}${IMAGE:-b}${A:-c}${WANTED}";
  expand(word, {0, word.size()}, variables);
  REQUIRE(variables.parameters.size() == 1);
  CHECK(variables.parameters[0].name == "IMAGE");
  CHECK(variables.parameters[0].otherwise.text == "$HOME/a.sqsh");
  CHECK(variables.parameters[0].at == 0);
}
