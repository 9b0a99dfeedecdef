#include "common/error.h"
#include "common/file.h"
#include "spank-plugins/container/killable.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::container;

TEST_CASE("killable: a process that slurmstepd protects loses that, and no other gets any") {
  const TemporaryDirectory folder;
  const auto score = folder / "oom_score_adj";
  const auto [before, after] = GENERATE(table<std::string, std::string>(
      {{"-1000\n", "0\n"}, {"-17\n", "0\n"}, {"0\n", "0\n"}, {"300\n", "300\n"}}));
  write_file(score, before);
  become_killable(score);
  CHECK(read_file(score) == after);
}

TEST_CASE("killable: this process can become it") {
  become_killable();
  CHECK_FALSE(read_file("/proc/self/oom_score_adj").starts_with('-'));
}

TEST_CASE("killable: a file that cannot be read is an error") {
  const TemporaryDirectory folder;
  CHECK_THROWS_AS(become_killable(folder / "none"), Error);
}
