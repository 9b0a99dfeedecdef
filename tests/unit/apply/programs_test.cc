// Tests finding and running Terraform and Packer.
#include "launcher/apply/programs.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"
#include "launcher/apply/child.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::apply;

TEST_CASE("programs: versions are compared as numbers") {
  CHECK(is_at_least("1.11.4", "1.5.0"));
  CHECK(is_at_least("1.5.0", "1.5.0"));
  CHECK(is_at_least("1.6.0-beta1", "1.6.0"));
  CHECK(is_at_least("2", "1.9.9"));
  CHECK(!is_at_least("1.4.7", "1.5.0"));
  CHECK(!is_at_least("0.15", "1.5.0"));
}

TEST_CASE("programs: only executable files in absolute folders of PATH are found") {
  const TemporaryDirectory directory;
  const std::string path = ::getenv("PATH");
  for (const char* folder : {"a", "b"}) make_directories(directory / folder);
  write_file(directory / "a/tool", "");
  write_file(directory / "b/tool", "", 0755);
  ::setenv("PATH", ((directory / "a").string() + "::.:" + (directory / "b").string()).c_str(), 1);
  CHECK(find_in_path("tool") == directory / "b/tool");
  ::setenv("PATH", ".:b", 1);
  CHECK(!find_in_path("tool"));
  ::unsetenv("PATH");
  CHECK(!find_in_path("tool"));
  ::setenv("PATH", path.c_str(), 1);
}

TEST_CASE("programs: a child's lines, stderr, log and status are returned") {
  const TemporaryDirectory directory;
  std::vector<std::string> lines;
  ChildOptions options;
  options.folder = directory.path();
  options.log = directory / "log";
  options.environment = {{"NAME", "value"}};
  options.on_line = [&](const std::string& line) { lines.push_back(line); };
  pid_t process = 0;
  options.before_start = [&](pid_t child) {
    process = child;
    CHECK(!start_time_of(child).empty());
  };
  const Interrupts interrupts;
  const ChildResult result = run_child(
      {"/bin/sh", "-c", "echo one; pwd >&2; printf '%s' \"$NAME\"; exit 3"}, options, interrupts);
  CHECK(result.exit_code == 3);
  CHECK(lines == std::vector<std::string>{"one", "value"});
  CHECK(result.errors == directory.path().string() + "\n");
  CHECK(read_file(directory / "log") == result.errors);
  CHECK(start_time_of(process).empty());
}

TEST_CASE("programs: an interrupt reaches the child, and we wait for its end") {
  const TemporaryDirectory directory;
  ChildOptions options;
  options.folder = directory.path();
  options.on_line = [](const std::string& line) {
    if (line == "ready") ::kill(::getpid(), SIGINT);
  };
  const Interrupts interrupts;
  const ChildResult result =
      run_child({"/bin/sh", "-c",
                 "trap 'echo kept >file; exit 1' INT; echo ready; while :; do sleep 0.01; done"},
                options, interrupts);
  CHECK(result.interrupted);
  CHECK(result.exit_code == 1);
  CHECK(read_file(directory / "file") == "kept\n");
}

TEST_CASE("programs: a program that cannot be started is an error") {
  const TemporaryDirectory directory;
  ChildOptions options;
  options.folder = directory.path();
  const Interrupts interrupts;
  CHECK_THROWS_WITH(
      run_child({"/nowhere/tool"}, options, interrupts),
      "cannot start /nowhere/tool in " + directory.path().string() + ": No such file or directory");
}
