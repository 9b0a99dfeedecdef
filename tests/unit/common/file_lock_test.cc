#include "common/file_lock.h"

#include <future>

#include "common/error.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace std::chrono_literals;

TEST_CASE("file lock: one process holds it, the next gets it after its release") {
  const TemporaryDirectory folder;
  Fd first = try_lock(folder / "lock");
  REQUIRE(first);
  CHECK_FALSE(try_lock(folder / "lock"));
  CHECK_FALSE(lock_within(folder / "lock", 10ms));
  auto second = std::async(std::launch::async, [&] { return lock_within(folder / "lock", 10min); });
  first = Fd();
  CHECK(second.get());
  CHECK(try_lock(folder / "lock"));
}

TEST_CASE("file lock: a file that cannot be created is an error with its path") {
  const TemporaryDirectory folder;
  CHECK_THROWS_WITH(try_lock(folder / "none/lock"), ContainsSubstring("none/lock"));
}
