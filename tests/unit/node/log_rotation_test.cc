#include "launcher/node/log_rotation.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fd.h"
#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::node;

TEST_CASE("log rotation: splits a large log, and programs that have it open keep writing to it") {
  const TemporaryDirectory folder;
  const auto log = folder / "slurmd.log";
  write_file(log, "older\n", 0640);
  write_file(folder / "small.log", "x");
  const Fd daemon(::open(log.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  CHECK(rotate_logs(folder.path(), 5) == std::vector<std::string>{"slurmd.log"});
  REQUIRE(::write(daemon.get(), "newer\n", 6) == 6);
  CHECK(read_file(log) == "newer\n");
  CHECK(read_file(folder / "slurmd.log.1") == "older\n");
  struct stat info = {};
  REQUIRE(::stat((folder / "slurmd.log.1").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0640);
  // The former part is replaced, and not rotated itself.
  CHECK(rotate_logs(folder.path(), 5) == std::vector<std::string>{"slurmd.log"});
  CHECK(read_file(folder / "slurmd.log.1") == "newer\n");
  CHECK(rotate_logs(folder.path(), 5).empty());
}

TEST_CASE("log rotation: leaves links and folders alone") {
  const TemporaryDirectory folder;
  const TemporaryDirectory elsewhere;
  write_file(elsewhere / "secret", "a long line\n");
  std::filesystem::create_symlink(elsewhere / "secret", folder / "a.log");
  make_directories(folder / "b.log");
  CHECK(rotate_logs(folder.path(), 1).empty());
  CHECK(read_file(elsewhere / "secret") == "a long line\n");
}
