// Tests of reading nhc.conf.
#include "launcher/hosts/nhc_file.h"

#include "tests/unit/catch.h"

using namespace slipway::hosts;
using Words = std::vector<std::string>;

namespace {

NhcLine only_line(const std::string& text) {
  const std::vector<NhcLine> lines = read_nhc(text);
  REQUIRE(lines.size() == 1);
  return lines[0];
}

}  // namespace

TEST_CASE("nhc.conf: a line has a target and a check; comments and empty parts are left out") {
  const std::vector<NhcLine> lines = read_nhc(
      "# a comment\n\n  #  * || check_a\n *.gpu  ||\tcheck_fs_free / 5%  \n || check_b\n* ||\n"
      "* || check_c || check_d\nno bars\n");
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].number == 4);
  CHECK(lines[0].target == "*.gpu");
  CHECK(lines[0].check == "check_fs_free / 5%");
  CHECK(lines[0].words == Words{"check_fs_free", "/", "5%"});
  CHECK_FALSE(lines[0].is_compound);
  CHECK(lines[1].is_compound);
  CHECK(lines[2].target == "no bars");
  CHECK(lines[2].check.empty());
}

TEST_CASE("nhc.conf: words as bash splits them") {
  CHECK(only_line("* || a -s '/(none|devpts)/' -f \"/my mount\" x'y'z # why").words ==
        Words{"a", "-s", "/(none|devpts)/", "-f", "/my mount", "xyz"});
  CHECK(only_line("* || a ''").words == Words{"a", ""});
  CHECK_FALSE(only_line("* || a '$HOME'").expands);
  CHECK(only_line("* || a \"$HOME\"").expands);
  CHECK(only_line("* || a $((2*HW_CORES))").expands);
  CHECK(only_line("* || a `b`").expands);
  CHECK(only_line("* || [[ -d /x ]] && a").is_compound);
  CHECK_FALSE(only_line("* || a ';'").is_compound);
}

TEST_CASE("nhc.conf: a backslash continues a line, and hides a character") {
  const NhcLine line = only_line("* || a one \\\n  two\r\n");
  CHECK(line.words == Words{"a", "one", "two"});
  CHECK(line.number == 1);
  CHECK(only_line("!/\\.gpu/ || a").target == "!/.gpu/");
}

TEST_CASE("nhc.conf: targets as its manual has them") {
  const auto match = [](const std::string& node, const std::string& target) {
    return matches_nhc(node, target);
  };
  CHECK(match("n0017.cc2", "*") == NhcMatch::yes);
  CHECK(match("n0017.viz", "n*.viz") == NhcMatch::yes);
  CHECK(match("n0017.cc2", "/^n00[0-5][0-9]\\.cc2$/") == NhcMatch::yes);
  CHECK(match("n0083.cc2", "/^n00[0-5][0-9]\\.cc2$/") == NhcMatch::no);
  CHECK(match("n0017.cc1", "/^n00[0-5][0-9]\\.cc2$/") == NhcMatch::no);
  CHECK(match("ln1", "!ln*") == NhcMatch::no);
  CHECK(match("n1", "!ln*") == NhcMatch::yes);
  const std::string ranges = "{n00[00-99].phys,n000[0-4].bio}";
  CHECK(match("n0030.phys", ranges) == NhcMatch::yes);
  CHECK(match("n0001.bio", ranges) == NhcMatch::yes);
  CHECK(match("n0100.phys", ranges) == NhcMatch::no);
  CHECK(match("n0005.bio", ranges) == NhcMatch::no);
  CHECK(match("n03", "!{n03,n05,n0[7-9]}") == NhcMatch::no);
  CHECK(match("n04", "!{n03,n05,n0[7-9]}") == NhcMatch::yes);
  CHECK(match("n0010", "{n00[10-21,23]}") == NhcMatch::unknown);
  CHECK(match("n1", "/(/") == NhcMatch::unknown);
  CHECK(match("n1", "%gpus%") == NhcMatch::unknown);
  CHECK(match("n1", "!%gpus%") == NhcMatch::unknown);
}
