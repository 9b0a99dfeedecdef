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
    CommandLine line("slipway exec", "NAME NODE -- CMD", "Run a command.");
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

TEST_CASE("command line: an empty word is none: a script's variable was not set") {
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
