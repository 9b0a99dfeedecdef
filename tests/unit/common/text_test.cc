#include "common/text.h"

#include "tests/unit/catch.h"

using namespace slipway;
using Words = std::vector<std::string>;

TEST_CASE("split: keeps empty parts, and an empty text has none") {
  CHECK(split("a,b,,c", ',') == Words{"a", "b", "", "c"});
  CHECK(split("a,", ',') == Words{"a", ""});
  CHECK(split("", ',').empty());
}

TEST_CASE("join: is the inverse of split") {
  CHECK(join(split("a,b,,c", ','), ",") == "a,b,,c");
  CHECK(join(Words{}, ",").empty());
}

TEST_CASE("to number: takes the whole text, or nothing") {
  CHECK(to_number<int>("42") == 42);
  CHECK(to_number<int>("-1") == -1);
  CHECK(to_number<double>("2.5") == 2.5);
  CHECK_FALSE(to_number<unsigned>("-1"));
  CHECK_FALSE(to_number<int>(""));
  CHECK_FALSE(to_number<int>(" 4"));
  CHECK_FALSE(to_number<int>("4k"));
  CHECK_FALSE(to_number<int>("99999999999"));
}

TEST_CASE("to lower: changes letters of ASCII only") {
  CHECK(to_lower("NVIDIA H100@[`{") == "nvidia h100@[`{");
  CHECK(to_lower("\xc3\x84") == "\xc3\x84");
}

TEST_CASE("edit distance: a swap of neighbors is one edit") {
  CHECK(edit_distance("local_muont", "local_mount") == 1);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("nearest: finds the closest word, or nothing") {
  const Words known = {"local_mount", "size_gb", "name"};
  CHECK(nearest("local_muont", known) == "local_mount");
  CHECK(nearest("nmae", known) == "name");
  CHECK(nearest("zone", known).empty());
  CHECK(nearest("x", known).empty());
  CHECK(nearest("NAME", known) == "name");
}

TEST_CASE("shell quote: quotes only if a shell would not read one word") {
  CHECK(shell_quote("/etc/slurm") == "/etc/slurm");
  CHECK(shell_quote("") == "''");
  CHECK(shell_quote("it's $HOME") == "'it'\\''s $HOME'");
}

TEST_CASE("text: the last line that says something") {
  CHECK(last_line_of("one\ntwo \n\n") == "two");
  CHECK(last_line_of("one") == "one");
  CHECK(last_line_of(" \n") == "");
  CHECK(last_line_of("") == "");
}
