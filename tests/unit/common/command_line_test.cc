#include "common/command_line.h"

#include "common/error.h"
#include "tests/unit/catch.h"

using namespace slipway;
using Words = std::vector<std::string>;

namespace {

struct Parsed {
  bool json = false;
  int count = 1;
  std::string name, node;
  Words command;

  Parsed(const Words& args, Arity node_arity = Arity::required) {
    CommandLine line("slipway exec", "Run a command.");
    line.flag("json", "print JSON", &json);
    line.option("count,n", "N", "how many", &count);
    line.positional("NAME", &name);
    line.positional("NODE", &node, node_arity);
    line.rest("CMD", &command, Arity::optional);
    line.parse(args);
  }
};

}  // namespace

TEST_CASE("command line: options, words, and everything after -- untouched") {
  const Parsed p(Words{"--json", "-n", "3", "quick", "n0", "--", "ls", "--json", "--", "x"});
  CHECK(p.json);
  CHECK(p.count == 3);
  CHECK(p.name == "quick");
  CHECK(p.node == "n0");
  CHECK(p.command == Words{"ls", "--json", "--", "x"});
}

TEST_CASE("command line: the command begins with its first word, with or without --") {
  const Parsed p(Words{"quick", "n0", "-n", "3", "ls", "-n", "--json"});
  CHECK(p.count == 3);
  CHECK_FALSE(p.json);
  CHECK(p.command == Words{"ls", "-n", "--json"});
  CHECK(Parsed(Words{"--count=4", "quick", "n0", "--", "--"}).command == Words{"--"});
  CHECK(Parsed(Words{"-n4", "quick", "n0"}).command.empty());
}

TEST_CASE("command line: an unknown option gets a suggestion") {
  CHECK_THROWS_WITH(Parsed(Words{"--jsno", "a", "b"}),
                    "unknown option `--jsno`; did you mean `--json`?");
}

TEST_CASE("command line: a missing word is named") {
  CHECK_THROWS_WITH(Parsed(Words{"a"}), "NODE is missing");
  CHECK_NOTHROW(Parsed(Words{"a"}, Arity::optional));
}

TEST_CASE("command line: an empty word is refused, since a script's variable may be unset") {
  CHECK_THROWS_WITH(Parsed(Words{"a", ""}), "NODE is empty");
  CHECK_THROWS_WITH(Parsed(Words{"a", ""}, Arity::optional), "NODE is empty");
}

TEST_CASE("command line: a malformed value is a usage error") {
  CHECK_THROWS_AS(Parsed(Words{"--count", "x", "a", "b"}), UsageError);
}

TEST_CASE("command line: options are not guessed from their beginnings") {
  CHECK_THROWS_AS(Parsed(Words{"--js", "a", "b"}), UsageError);
}

TEST_CASE("command line: run_main maps errors to exit statuses") {
  CHECK(run_main("t", [] { return 7; }) == 7);
  CHECK(run_main("t", []() -> int { throw UsageError("u"); }) == 2);
  CHECK(run_main("t", []() -> int { throw Error("e"); }) == 1);
}

namespace {

// The command line of an imaginary program, as it describes itself.
CommandDescription described() {
  return describe([] {
    int seconds = 30;
    std::string file, name, form = "text";
    Words only;
    CommandLine line("slipway demo", "Demonstrate a command line.");
    line.about("It does nothing.\n\n  kept   as it is");
    line.positional("DEPLOYMENT", &name, Arity::optional);
    line.option("timeout,t", "SECONDS", "give up after this long", &seconds);
    line.option("output,o", "FILE", "write it to this file", &file, "stdout");
    line.option("format", "text|json", "how to print it", &form);
    line.option("only", "GROUP,...", "these groups only", &only);
    line.option("out", "FILE", "the same", &file);
    line.hide();
    line.exit_status("1", "it did not work");
    line.example("slipway demo", "see nothing happen");
    line.parse(Words{"--unknown", "too", "many", "words"});
  });
}

}  // namespace

TEST_CASE("command line: describing parses nothing, and shows what would be accepted") {
  const CommandDescription description = described();
  CHECK(usage_line(description) == "slipway demo [DEPLOYMENT] [options]");
  CHECK(description.options.at(0).standard == "30");
  CHECK(description.options.at(1).standard == "stdout");
  CHECK(description.options.at(1).computed);
  CHECK(description.options.at(3).repeated);
  CHECK(description.options.at(4).hidden);
  CHECK(description.options.at(5).name == "help");
  CHECK(description.exit_statuses.at(1).text == "it did not work");
}

TEST_CASE("command line: help") {
  CHECK(help_text(described()) == R"(Demonstrate a command line.

Usage: slipway demo [DEPLOYMENT] [options]

It does nothing.

  kept   as it is

Options:
  -t, --timeout SECONDS       give up after this long (default 30)
  -o, --output FILE           write it to this file (default: stdout)
      --format text|json      how to print it (default text)
      --only GROUP,...        these groups only
  -h, --help                  print this help

Examples:
  slipway demo
      see nothing happen

Exit status:
  0  done
  1  it did not work
  2  the command line is wrong
)");
}

TEST_CASE("command line: a hidden option is accepted") {
  std::string file;
  CommandLine line("slipway demo", "Demonstrate a command line.");
  line.option("out", "FILE", "the same", &file);
  line.hide();
  CHECK(line.parse(Words{"--out", "x"}));
  CHECK(file == "x");
}

namespace {

// Whether JSON is wanted, of a command that prints text or JSON.
bool wants_json(const Words& args, const std::string& other = "text") {
  bool json = false;
  CommandLine line("slipway demo", "Demonstrate a command line.");
  line.json("schema demo/1", &json, other);
  line.parse(args);
  return json;
}

}  // namespace

TEST_CASE("command line: --json and --format json are the same") {
  CHECK_FALSE(wants_json({}));
  CHECK(wants_json({"--json"}));
  CHECK(wants_json({"--format", "json"}));
  CHECK_FALSE(wants_json({"--format=text"}));
  CHECK_FALSE(wants_json({"--format=yaml"}, "yaml"));
  CHECK(wants_json({}, ""));
  CHECK_THROWS_WITH(wants_json({"--format", "xml"}),
                    "unknown format `xml`; it is `text` or `json`");
  CHECK_THROWS_WITH(wants_json({"--format", "text"}, ""), "unknown format `text`; it is `json`");
}

TEST_CASE("command line: the name of a value says what it stands for") {
  CHECK(kinds_of("BLUEPRINT|FOLDER") == Words{"blueprint", "folder"});
  CHECK(kinds_of("text|json") == Words{"choice"});
  CHECK(choices_of("text|json") == Words{"text", "json"});
  CHECK(kinds_of("GROUP,...") == Words{"group"});
  CHECK(kinds_of("MODULE[.SETTING]") == Words{"module"});
  CHECK(kinds_of("LINE") == Words{"text"});
}

TEST_CASE("command line: an option without its value, or given twice, is a usage error") {
  CHECK_THROWS_WITH(Parsed(Words{"a", "b", "--count"}), "`--count` needs a value: N");
  CHECK_THROWS_WITH(Parsed(Words{"--json", "--json", "a", "b"}),
                    "`--json` is given more than once");
}
