// Tests of the advice for --auto-resume.
#include "common/error.h"
#include "spank-plugins/auto_resume/advice.h"
#include "tests/unit/catch.h"

using namespace slipway::auto_resume;
using Lines = std::vector<std::string>;

TEST_CASE("auto_resume: takes 0 and 1") {
  CHECK(parse_choice("1"));
  CHECK_FALSE(parse_choice("0"));
  CHECK_THROWS_AS(parse_choice("yes"), slipway::Error);
  CHECK_THROWS_AS(parse_choice(""), slipway::Error);
}

TEST_CASE("auto_resume: the advice is the user's own command under slipway launch") {
  const Lines lines = advice({"torchrun", "--nnodes=4", "train.py", "--name", "two words"});
  REQUIRE(lines.size() == 2);
  CHECK(lines[1] ==
        "  slipway launch --spares 1 -- torchrun --nnodes=4 train.py --name 'two words'");
}

TEST_CASE("auto_resume: there is no advice for what slipway launch starts") {
  CHECK(advice({"/opt/slipway/bin/slipway", "launch", "--", "./train"}).empty());
  CHECK(advice({"slipway", "launch", "./train"}).empty());
  CHECK_FALSE(advice({"slipway", "status"}).empty());
  CHECK_FALSE(advice({"./notslipway", "launch"}).empty());
}

TEST_CASE("auto_resume: the advice is one printable line, however the command looks") {
  const Lines lines =
      advice({"bash", "-c", "line\nsrun: error: \x1b[31mred" + std::string(4000, 'x')});
  REQUIRE(lines.size() == 2);
  CHECK(lines[1].size() < 400);
  for (const char c : lines[1]) CHECK_FALSE((static_cast<unsigned char>(c) < ' '));
}
