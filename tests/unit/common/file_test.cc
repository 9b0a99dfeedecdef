#include "common/file.h"

#include <sys/stat.h>
#include <unistd.h>

#include "common/error.h"
#include "common/replace_file.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;

TEST_CASE("write_file: replaces the file whole and leaves no temporary") {
  TemporaryDirectory dir;
  write_file(dir / "a", "one");
  write_file(dir / "a", "two", 0600);
  CHECK(read_file(dir / "a") == "two");
  struct stat info = {};
  REQUIRE(::stat((dir / "a").c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0600);
  CHECK(std::distance(std::filesystem::directory_iterator(dir.path()), {}) == 1);
}

TEST_CASE("write_file: names the path if the folder is missing") {
  TemporaryDirectory dir;
  const auto path = dir / "none" / "a";
  CHECK_THROWS_WITH(write_file(path, "x"),
                    "cannot write " + path.string() + ": No such file or directory");
}

TEST_CASE("write_file: a folder, a pipe and a socket are refused and stay unchanged") {
  TemporaryDirectory dir;
  make_directories(dir / "folder");
  REQUIRE(::mkfifo((dir / "pipe").c_str(), 0600) == 0);
  REQUIRE(::mknod((dir / "socket").c_str(), S_IFSOCK | 0600, 0) == 0);
  for (const char* name : {"folder", "pipe", "socket"}) {
    const auto before = std::filesystem::symlink_status(dir / name).type();
    CHECK_THROWS_WITH(write_file(dir / name, "x"),
                      "cannot write " + (dir / name).string() + ": not a regular file");
    CHECK(std::filesystem::symlink_status(dir / name).type() == before);
  }
  CHECK(std::distance(std::filesystem::directory_iterator(dir.path()), {}) == 3);
}

TEST_CASE("write_file: a symbolic link is refused, and what it points to keeps its content") {
  TemporaryDirectory dir;
  write_file(dir / "a", "old");
  const std::string target = GENERATE("a", "pipe", "nothing");
  REQUIRE(::mkfifo((dir / "pipe").c_str(), 0600) == 0);
  std::filesystem::create_symlink(target, dir / "link");
  CHECK_THROWS_WITH(write_file(dir / "link", "new"), "cannot write " + (dir / "link").string() +
                                                         ": a symbolic link, not a regular file");
  CHECK(std::filesystem::read_symlink(dir / "link") == target);
  CHECK(read_file(dir / "a") == "old");
  CHECK(std::distance(std::filesystem::directory_iterator(dir.path()), {}) == 3);
}

TEST_CASE("read_file: names the path and the reason") {
  CHECK_THROWS_WITH(read_file("/nonexistent/a"),
                    "cannot read /nonexistent/a: No such file or directory");
}

TEST_CASE("make_directories: makes parents, and may be called again") {
  TemporaryDirectory dir;
  make_directories(dir / "a/b/c");
  make_directories(dir / "a/b/c");
  CHECK(std::filesystem::is_directory(dir / "a/b/c"));
}

TEST_CASE("last_lines: the last lines of a log, and `nothing` for a missing one") {
  TemporaryDirectory dir;
  write_file(dir / "log", "one\ntwo\nthree\n");
  CHECK(last_lines(dir / "log") == "three");
  CHECK(last_lines(dir / "log", 2) == "two … three");
  CHECK(last_lines(dir / "log", 9) == "one … two … three");
  CHECK(last_lines(dir / "none") == "nothing");
}

TEST_CASE("read_regular_file: refuses a pipe without waiting, and a device without reading") {
  TemporaryDirectory dir;
  REQUIRE(::mkfifo((dir / "pipe").c_str(), 0600) == 0);
  CHECK_THROWS_WITH(read_regular_file(dir / "pipe", 10),
                    "cannot read " + (dir / "pipe").string() + ": not a regular file");
  CHECK_THROWS_WITH(read_regular_file("/dev/zero", 10),
                    "cannot read /dev/zero: not a regular file");
  CHECK_THROWS_WITH(read_regular_file(dir.path(), 10),
                    "cannot read " + dir.path().string() + ": Is a directory");
}

TEST_CASE("read_regular_file: the largest file is read, one byte more is not") {
  TemporaryDirectory dir;
  write_file(dir / "a", "0123456789");
  CHECK(read_regular_file(dir / "a", 10) == "0123456789");
  CHECK_THROWS_WITH(read_regular_file(dir / "a", 9),
                    "cannot read " + (dir / "a").string() + ": it has more than 9 bytes");
}

TEST_CASE("replace_file: keeps the mode, the owner and the group") {
  TemporaryDirectory dir;
  write_file(dir / "a", "one", 0640);
  const bool is_root = ::geteuid() == 0;
  if (is_root) REQUIRE(::chown((dir / "a").c_str(), 12, 34) == 0);
  replace_file(dir / "a", "two");
  CHECK(read_file(dir / "a") == "two");
  struct stat info = {};
  REQUIRE(::stat((dir / "a").c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0640);
  CHECK(info.st_uid == (is_root ? 12 : ::geteuid()));
  CHECK(info.st_gid == (is_root ? 34 : ::getegid()));
}

TEST_CASE("replace_file: makes no file, and replaces no link") {
  TemporaryDirectory dir;
  CHECK_THROWS_WITH(replace_file(dir / "a", "x"),
                    "cannot write " + (dir / "a").string() + ": No such file or directory");
  write_file(dir / "b", "b");
  std::filesystem::create_symlink("b", dir / "link");
  CHECK_THROWS_WITH(replace_file(dir / "link", "x"),
                    ContainsSubstring("cannot write " + (dir / "link").string()));
  CHECK(read_file(dir / "b") == "b");
}
