#include "common/kept.h"

#include <chrono>
#include <fstream>

#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;

TEST_CASE("kept: a folder is read again when a file in it changes, appears or goes") {
  const TemporaryDirectory folder;
  Kept<int> kept;
  int reads = 0;
  const auto get = [&] {
    kept.get(folder / "tables", [&] { return std::make_shared<int>(++reads); });
    return reads;
  };
  CHECK(get() == 1);
  CHECK(get() == 2);  // without the folder, nothing is kept
  std::filesystem::create_directory(folder / "tables");
  std::ofstream(folder / "tables/a") << "one";
  CHECK(get() == 3);
  CHECK(get() == 3);
  std::ofstream(folder / "tables/a", std::ios::app) << "two";
  CHECK(get() == 4);
  std::ofstream(folder / "tables/b") << "";
  CHECK(get() == 5);
  std::filesystem::remove(folder / "tables/a");
  CHECK(get() == 6);
  CHECK(get() == 6);
}

TEST_CASE("kept: a file of the same size with another time has another state") {
  const TemporaryDirectory folder;
  std::ofstream(folder / "a") << "one";
  const FileState before = state_of_file(folder / "a");
  CHECK(before.bytes == 3);
  CHECK(state_of_file(folder / "a") == before);
  using namespace std::chrono_literals;
  std::filesystem::last_write_time(folder / "a",
                                   std::filesystem::last_write_time(folder / "a") + 1ns);
  CHECK_FALSE(state_of_file(folder / "a") == before);
  CHECK(state_of_file(folder / "none") == FileState());
}
